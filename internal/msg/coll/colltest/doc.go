// Package colltest starts the jobs that collectives are tested in: those whose ranks
// are goroutines of one process, over messages and in one address space, and ranks that
// are processes.
package colltest
