package pml

import (
	"errors"
	"fmt"
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

	// ErrRevoked means that the communicator of the operation was revoked.
	ErrRevoked = fault.ErrRevoked

	// ErrCancelSend means that a send to another rank, or one that is received, was to be cancelled.
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

// describeTask names the operation, for messages to people.
func (op *operation) describeTask() string {
	s := fmt.Sprintf("nonblocking operation in context %d", op.context)
	switch {
	case op.state == complete:
		s += ", complete but not waited for"
	case op.persistent && op.state == idle:
		s += ", persistent and not freed"
	}
	return s
}

// String names the operation, for messages to people.
func (op *operation) String() string {
	what, direction := "receive", "from"
	switch op.kind {
	case tasking:
		return op.describeTask()
	case sending:
		what, direction = "send", "to"
	case probing, picking:
		what = "probe"
	}
	peer := fmt.Sprintf("rank %d", op.Peer)
	switch op.Peer {
	case AnySource:
		peer = "any source"
	case ProcNull:
		peer = "nobody"
	}
	tag := fmt.Sprintf("tag %d", op.Tag)
	if op.Tag == AnyTag {
		tag = "any tag"
	}
	s := fmt.Sprintf("%s of %d bytes %s %s, %s", what, op.buf.Len(), direction, peer, tag)
	switch {
	case op.persistent && op.state == idle:
		s += ", persistent and not freed"
	case op.state == complete:
		s += ", complete but not waited for"
	}
	return s
}
