package fault

import (
	"errors"
	"fmt"
	"math"

	"github.com/gopvas/gopvas/datatype"
)

// LostError means that an operation cannot complete because a rank, named in it,
// has gone: it exited or was killed.
type LostError struct {
	Rank int    // the rank that has gone, as a rank of the job
	Of   string // if it is of another job: which rank of which
}

// Error says which rank has gone.
func (e *LostError) Error() string {
	if e.Of != "" {
		return e.Of + " has gone"
	}
	return fmt.Sprintf("rank %d has gone", e.Rank)
}

// ErrRevoked means that the communicator was revoked, by this rank or another one: no operation on it succeeds any
// more.
var ErrRevoked = errors.New("the communicator was revoked: make another one, from one that " +
	"was not, of the ranks that have not failed")

// PendingError means that a receive from any source has not ended, because a rank has failed that might have been the
// one to send. The request goes on: it can be waited for again when the failure is acknowledged, or be cancelled.
type PendingError struct {
	Lost LostError
}

// Error says which rank has failed, and how to go on.
func (e *PendingError) Error() string {
	return e.Lost.Error() + "; the receive goes on: acknowledge the failure (Comm.Acknowledge, in C " +
		"MPI_Comm_ack_failed) and wait again, or cancel it"
}

// Unwrap returns the *LostError.
func (e *PendingError) Unwrap() error { return &e.Lost }

// RankError means that the communicator has no such rank.
type RankError struct {
	Rank, Size int
}

// Error names the rank and the range.
func (e *RankError) Error() string {
	return fmt.Sprintf("rank %d is outside 0..%d", e.Rank, e.Size-1)
}

// TagError means that no message can have the tag.
type TagError struct {
	Tag int
}

// Error names the tag and the range.
func (e *TagError) Error() string {
	return fmt.Sprintf("tag %d is outside 0..%d", e.Tag, math.MaxInt32)
}

// TruncateError means that a message was longer than the buffer of the receive
// it matched. The buffer is filled with the message's first bytes, and the rest is
// lost; the sender learns nothing of it.
type TruncateError struct {
	Length uint64 // of the message, in bytes
	Buffer uint64 // of the buffer, in bytes

	Element int // bytes of an element of the buffer, for the text; 0: not known
}

// Error names both lengths.
func (e *TruncateError) Error() string {
	if n := uint64(max(e.Element, 1)); n > 1 && e.Length%n == 0 {
		return fmt.Sprintf("message of %d elements (%d bytes) is truncated: the buffer has %d (%d bytes)",
			e.Length/n, e.Length, e.Buffer/n, e.Buffer)
	}
	return fmt.Sprintf("message of %d bytes is truncated: the buffer has %d", e.Length, e.Buffer)
}

// ElementError means that a message consists of other numbers than its receive has asked for.
// It is received nevertheless. Jobs with --check find it.
type ElementError struct {
	Sent, Received datatype.Element
}

// Error names both.
func (e *ElementError) Error() string {
	return fmt.Sprintf("%v were sent, and are received as %v: give both ranks the same type", e.Sent, e.Received)
}

// CountError means that a message is no whole number of elements.
type CountError struct {
	Bytes   uint64 // length of the message
	Element int    // size of an element in bytes
}

// Error names both sizes.
func (e *CountError) Error() string {
	return fmt.Sprintf("message of %d bytes is no whole number of elements of %d bytes: "+
		"receive it with the type it was sent with", e.Bytes, e.Element)
}

// LeakError means that requests or matched messages were left at Finalize.
type LeakError struct {
	Requests int    // requests that were not waited for, or persistent and not freed
	Messages int    // messages that were taken by a matched probe and not received
	First    string // one of the requests
}

// Error says what has leaked and what to do.
func (e *LeakError) Error() string {
	switch {
	case e.Requests == 0:
		return fmt.Sprintf("matched messages left: %d: receive what Mprobe returns", e.Messages)
	case e.Messages == 0:
		return fmt.Sprintf("requests left: %d (one is a %s): wait for every request, free persistent ones",
			e.Requests, e.First)
	}
	return fmt.Sprintf("requests left: %d (one is a %s), and matched messages: %d: "+
		"wait for every request, free persistent ones, receive what Mprobe returns",
		e.Requests, e.First, e.Messages)
}
