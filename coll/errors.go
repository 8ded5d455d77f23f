package coll

import (
	"errors"
	"fmt"

	"github.com/gopvas/gopvas/coll/cad"
	"github.com/gopvas/gopvas/job"
)

// LostError means that an operation could not be completed because a rank of the
// job, named in it, has gone.
type LostError = job.LostError

// errNoBoard is for the members whose first one could not allocate.
var errNoBoard = errors.New("the first rank of the communicator has no room left for shared memory")

// RankError means that a team has no such member.
type RankError = job.RankError

// ErrOverlap means that a call would read what it overwrites.
var ErrOverlap = errors.New("the send and the receive buffer overlap: use others, or nil to send what is in the receive buffer")

// ArgumentError means that a buffer is too short for what it is to hold. The call is over
// for this member, and has failed for the others too: those that need this one get a
// *MismatchError that names it.
type ArgumentError struct {
	What string
	Have int
	Need int // -1: a block lies outside of the buffer
}

// Error names both lengths, in bytes.
func (e *ArgumentError) Error() string {
	if e.Need < 0 {
		return fmt.Sprintf("a count or displacement of the %s points outside of its %d bytes", e.What, e.Have)
	}
	return fmt.Sprintf("%s: %d is too short, %d is needed", e.What, e.Have, e.Need)
}

// MismatchError means that the members did not call the same operation, or with
// arguments that do not fit. All buffers that were to be received into may have been
// written to in part.
type MismatchError = cad.MismatchError

// OpError means that an operator has panicked. The result is lost on all members
// that got this error.
type OpError = cad.OpError

// fault is what has gone wrong in a call, in a form that fits into a word that
// members pass on to one another: what it is, and about which rank of the job.
type fault uint32

const (
	faultLost fault = (iota + 1) << 16
	faultOp
	faultMismatch
	faultRefused                // the arguments of that rank
	faultMask    fault = 0xffff // of the rank
)

func (f fault) kind() fault { return f &^ faultMask }
func (f fault) rank() int   { return int(f & faultMask) }
