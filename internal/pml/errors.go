package pml

import (
	"errors"
	"math"

	"github.com/gopvas/gopvas/mpi/fault"
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

	// ErrNotPersistent means that the request can be neither started nor freed, because no call
	// that ends in Init made it, or it was freed.
	ErrNotPersistent = errors.New("the request is not persistent, or was freed: " +
		"only requests from calls such as SendInit and BarrierInit can be started and freed")

	// ErrCancelSend means that a send was to be cancelled of which its receiver may know.
	ErrCancelSend = errors.New("a send that is on its way cannot be cancelled")

	// ErrNoMessage means that a matched message was received already, or never was.
	ErrNoMessage = errors.New("no such message: a message from Mprobe can be received once")
)

// MaxTag is the greatest tag.
const MaxTag = math.MaxInt32

func checkTag(tag int) error {
	if tag < 0 || tag > MaxTag {
		return &fault.TagError{Tag: tag}
	}
	return nil
}
