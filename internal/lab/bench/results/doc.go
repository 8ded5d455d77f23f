// Package results keeps what a run of all benchmarks finds: a file of JSON lines.
//
// A line is either an Environment, which says where and with what the lines after it
// were measured, or a Line, one round of one experiment. Lines are appended whole and
// never changed, so a run that was stopped is taken up again by reading which rounds
// are there. A last line without its newline was cut off, and does not count.
package results
