// Package run is the command line of a job: its flags and programs, where it runs, and what is reported of it at the
// end. Package launcher starts the ranks.
package run
