package mpi

import "github.com/gopvas/gopvas/internal/msg/comm"

// Status tells about a message that was received or probed. MPI 4.1 section 3.2.5.
type Status struct {
	Source int // rank that sent it
	Tag    int // its tag

	// Count is the number of elements received, of the type of the receive, or Undefined if
	// it was no whole number of them. A probe knows no type and counts bytes: see CountOf.
	Count int

	// Cancelled tells that the receive was cancelled; then nothing else is valid.
	Cancelled bool

	Bytes uint64 // number of bytes received, or the length of the message probed
}

// CountIn returns how many elements of that size a status stands for, in particular
// that of a probe; Undefined if it is no whole number of them.
//
// MPI 4.1 section 3.2.5 (MPI_Get_count).
func (s Status) CountIn(size int) int { return comm.Status(s).CountIn(size) }

// received is a status that the layer below returns.
func received(st comm.Status, err error) (Status, error) { return Status(st), err }
