package coll

import (
	"errors"
	"fmt"

	"github.com/gopvas/gopvas/internal/coll/cad"
	"github.com/gopvas/gopvas/internal/job"
)

// LostError means that an operation could not be completed because a rank of the
// job, named in it, has gone.
type LostError = job.LostError

// errNoBoard is for the members whose first one could not allocate.
var errNoBoard = errors.New("the first rank of the communicator has no room left for shared memory")

// RankError means that a team has no such member.
type RankError = job.RankError

// ErrOverlap means that a call would read what it overwrites.
var ErrOverlap = errors.New(
	"the send and the receive buffer overlap: use others, or no send buffer (nil, in C MPI_IN_PLACE) to send what is " +
		"in the receive buffer")

// ArgumentError means that a buffer has not the length that the call needs. The call is
// refused: this member has not made it. If calls are checked the others get a *MismatchError that names it.
type ArgumentError struct {
	What  string
	Have  int
	Need  int    // -1: a block lies outside of the buffer
	Unit  string // of both; empty: bytes
	Exact bool   // neither more nor less

	Element int // bytes of an element of the buffer, for the text; 0: not known
}

// Error names both lengths.
func (e *ArgumentError) Error() string {
	have := e.length(e.Have)
	switch {
	case e.Need < 0:
		return fmt.Sprintf("a count or displacement of the %s points outside of its %s", e.What, have)
	case e.Exact:
		return fmt.Sprintf("%s: has %s, %s are needed", e.What, have, e.length(e.Need))
	case e.Have > e.Need:
		return fmt.Sprintf("%s: %s are too many, %s are needed", e.What, have, e.length(e.Need))
	}
	return fmt.Sprintf("%s: %s are too few, %s are needed", e.What, have, e.length(e.Need))
}

// length is a length in its unit; of bytes in elements, with the bytes in brackets.
func (e *ArgumentError) length(n int) string {
	switch {
	case e.Unit != "":
		return fmt.Sprintf("%d %s", n, e.Unit)
	case e.Element > 1 && n%e.Element == 0:
		return fmt.Sprintf("%d elements (%d bytes)", n/e.Element, n)
	}
	return fmt.Sprintf("%d bytes", n)
}

// MismatchError means that the members did not call the same operation, or with
// arguments that do not fit. All buffers that were to be received into may have been
// written to in part.
type MismatchError = cad.MismatchError

// OpError means that an operator has panicked. The result is lost on all members
// that got this error.
type OpError = cad.OpError
