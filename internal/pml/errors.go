package pml

import (
	"errors"
	"fmt"
	"math"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/job"
)

// The errors of this package say the cause only, without a prefix: the caller knows
// which operation it was.
var (
	// ErrFinalized means that the engine was closed before the operation was begun,
	// or before it found its partner.
	ErrFinalized = errors.New("already finalized")

	// ErrBusy means that a request is waited for by another goroutine.
	ErrBusy = errors.New("another goroutine waits for this request: " +
		"wait for a request in one place")

	// ErrActive means that a persistent request was started, or freed, before the
	// operation that it had started was waited for.
	ErrActive = errors.New("the request is active: wait for it before")

	// ErrNotPersistent means that the request can not be started, because it does
	// not come from SendInit or RecvInit or was freed.
	ErrNotPersistent = errors.New("the request is not persistent, or was freed: " +
		"only requests from SendInit and RecvInit can be started")

	// ErrCancelSend means that a send was to be cancelled.
	ErrCancelSend = errors.New("sends can not be cancelled")

	// ErrNoMessage means that a matched message was received already, or never was.
	ErrNoMessage = errors.New("no such message: a message from Mprobe can be received once")
)

// LostError means that the operation depends on a rank that has gone.
type LostError = job.LostError

// RankError means that there is no such rank.
type RankError = job.RankError

// MaxTag is the greatest tag.
const MaxTag = math.MaxInt32

// TagError reports a tag that no message can have.
type TagError struct {
	Tag int
}

// Error names the tag and the range.
func (e *TagError) Error() string { return fmt.Sprintf("tag %d is outside 0..%d", e.Tag, MaxTag) }

// TruncateError reports a message that was longer than the buffer of the receive
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

// ElementError reports a message that consists of other numbers than its receive has asked for.
// It is received nevertheless.
type ElementError struct {
	Sent, Received datatype.Element
}

// Error names both.
func (e *ElementError) Error() string {
	return fmt.Sprintf("%v were sent, and are received as %v: give both ranks the same type", e.Sent, e.Received)
}

// LeakError reports the operations that were begun and had not ended when the engine was
// closed.
type LeakError struct {
	Requests int    // requests that were not waited for, or persistent and not freed
	Messages int    // messages that were taken by a matched probe and not received
	First    string // one of the requests
}

// Error says what has leaked and what to do.
func (e *LeakError) Error() string {
	switch {
	case e.Requests == 0:
		return fmt.Sprintf("%d matched messages were never received: receive what Mprobe returns", e.Messages)
	case e.Messages == 0:
		return fmt.Sprintf("%d requests are left (one is a %s): wait for every request, free persistent ones",
			e.Requests, e.First)
	}
	return fmt.Sprintf("%d requests are left (one is a %s), and %d matched messages: "+
		"wait for every request, free persistent ones, receive what Mprobe returns",
		e.Requests, e.First, e.Messages)
}

func checkTag(tag int) error {
	if tag < 0 || tag > MaxTag {
		return &TagError{Tag: tag}
	}
	return nil
}
