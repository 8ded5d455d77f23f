// Package debug tells what the rank of this process has done: what its messages have cost, what it
// has executed of collective operations in the background, and what went through the devices to
// other nodes. pvasrun --stats prints the same of all ranks.
//
// Nothing here blocks for long or changes what a program does. All counts begin at mpi.Init, and are
// zero before.
package debug
