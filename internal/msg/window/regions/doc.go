// Package regions knows what memory is attached to a dynamic window (MPI 5.0, section 12.2.4). Each rank writes down
// what it has attached, where all ranks of its node read it.
package regions
