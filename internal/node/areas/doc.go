// Package areas reads the memory areas of a process, as /proc/PID/maps shows them. The lines that begin the areas of
// smaps are the same.
package areas
