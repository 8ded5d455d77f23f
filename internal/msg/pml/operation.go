package pml

import (
	"errors"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/pml/flow"
	"github.com/gopvas/gopvas/internal/msg/pml/match"
	"github.com/gopvas/gopvas/internal/msg/pml/wait"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Status describes a message that was received or probed.
type Status struct {
	Source    int    // rank that sent it
	Tag       int    // its tag
	Bytes     uint64 // length of the received data, or of the message that was probed
	Cancelled bool   // the receive was cancelled; nothing else is valid then
}

// noStatus is what MPI calls the empty status: that of sends, and of requests that
// stand for nothing.
var noStatus = Status{Source: AnySource, Tag: AnyTag}

// nobody is the status of a receive from ProcNull.
var nobody = Status{Source: ProcNull, Tag: AnyTag}

// Wildcards, and the rank that nobody is: see package match.
const (
	AnySource = match.AnySource
	ProcNull  = match.ProcNull
	AnyTag    = match.AnyTag
)

// Mode is how a send relates to its receive.
type Mode uint8

const (
	// Standard sends are over when the buffer can be used again.
	Standard Mode = iota
	// Synchronous sends are over when, moreover, the receive has begun.
	Synchronous
)

// kind is the kind of an operation.
type kind uint8

const (
	sending kind = iota
	receiving
	probing // waits for a message to be there
	picking // waits for a message to be there, and takes it out of the matching
	tasking // a Task
)

// state is how far an operation has come. All changes are made under the lock of
// the engine.
//
//	free -> queued, posted, moving, held, complete -> free    newOperation; release
//	idle -> (the same)                             -> idle    if persistent
//	queued -> moving, complete                                a free slot at the peer
//	posted -> moving, complete                                a message that matches
//	moving -> complete                                        the transfer is done
//	held -> complete                                          a receive that matches
//
// queued, posted and moving are also the lists in which the operation then
// is: its peer's queue, matching, the engine's list of transfers. A held
// operation is known to the message that it sends. Any of them may become complete
// with an error; posted also by Cancel.
type state uint8

const (
	free state = iota
	idle
	queued
	posted
	moving
	held
	complete
)

// operation is a send, a receive or a probe on its way. Operations are used again:
// they come from and return to the engine's pool. They are on the heap, and keep
// the buffer reachable (and so in its place, as Go's heap objects do not move) as
// long as a peer may read or write it.
//
// A short message uses the first three cache lines: what few operations need is behind them.
type operation struct {
	// Peer and Tag are as they were asked for, also of a send. The rest is for matching.
	match.Receive[operation]

	engine     *Engine
	flow       flow.Transfer[operation]
	kind       kind
	state      state
	mode       Mode
	persistent bool
	left       bool   // see Leave
	offered    bool   // its message goes by rendezvous
	ahead      bool   // its call is over: see runAhead
	watched    bool   // see Done
	generation uint32 // how often the operation was released; see Request
	place      uint32 // see At

	context uint32
	buf     btl.Buffer

	status Status
	err    error
	mark   Mark    // of a send; of a receive the mark of its message
	waiter *waiter // signalled by complete; nil: nobody waits
	handle uintptr // see setHandle; 0: none
	owner  *any    // valid with a handle, as is unit
	unit   uint32

	request uint32 // in the trace; 0: of a blocking call, or there is no trace
	number  uint32 // of its message in the trace

	done    chan struct{}   // closed when the operation is complete, if that is watched
	message *message        // the result of a picking probe
	task    Task            // of a tasking operation
	layout  datatype.Layout // of buf, if it has one

	rested uint32 // generation at the last look of Idle that found it free; see rest
	rests  uint8  // number of such looks at this generation
}

// waiter is one goroutine that waits for operations, or for a condition.
type waiter = wait.Waiter[operation]

// Mark goes along with a message beside its tag. A task's is its own. That of any other message
// is what the message consists of; see elements.
type Mark struct {
	Number uint32
	Word   uint64
}

// sent is the operation of all requests that were complete from the beginning and
// have nothing to tell, namely short sends. Nobody writes to it.
var sent = &operation{kind: sending, state: complete, status: noStatus}

// tie says once what the operation's parts belong to.
func (op *operation) tie() {
	op.Init(op)
	op.flow.Init(op)
}

// use makes a buffer that of the operation.
func (op *operation) use(b *btl.Buffer) {
	op.buf.Bytes, op.buf.Of = b.Bytes, b.Of
	if b.Layout != nil {
		op.layout = *b.Layout // the caller's may be on a stack
		op.buf.Layout, op.buf.Base = &op.layout, b.Base
	}
}

func (op *operation) dropLayout() { op.buf.Layout, op.layout = nil, datatype.Layout{} }

// describe tells the operation in the terms of the hang report.
func (op *operation) describe() job.Waiting {
	w := job.Waiting{Peer: op.Peer, Tag: op.Tag, Context: op.context, Bytes: uint64(op.buf.Len())}
	switch op.kind {
	case sending:
		w.Op = job.OpSend
	case receiving:
		w.Op = job.OpRecv
	case tasking:
		w.Op, w.Peer = job.OpWait, job.AnyPeer // the task says more
	default:
		w.Op = job.OpProbe
	}
	return w
}

// plain tells whether the operation is a message that ends with its wait.
func (op *operation) plain() bool { return op.kind <= receiving && !op.persistent }

// Request stands for an operation that was begun and not yet waited for. The zero
// Request stands for none; so does one whose operation is over and was waited for,
// also if this is a copy that was made before: the generation tells. A wait for
// none is over at once, with an empty Status.
type Request struct {
	op         *operation
	generation uint32

	// Unit is the caller's own. It is carried along and not looked at.
	Unit uint32
}

// None tells whether the request is the zero Request (but for Unit).
func (r *Request) None() bool { return r.op == nil }

// active returns the operation of a request, nil if it stands for none. The
// persistent operation that is not started stands for none in all waits.
func (r *Request) active() *operation {
	op := r.op
	if op == nil || op.generation != r.generation || op.state == idle {
		return nil
	}
	return op
}

func request(op *operation, err error) (Request, error) {
	if err != nil {
		return Request{}, err
	}
	return Request{op: op, generation: op.generation}, nil
}

// Describe is for a task whose part the request is: it says what the request waits for. The lock is held.
func (r *Request) Describe(w *job.Waiting) {
	op := r.active()
	if op == nil || op.state == complete {
		return
	}
	*w = op.describe()
	if op.kind == tasking && op.state == moving {
		op.task.Describe(w)
	}
}

// persist makes the request of an operation, which is idle, a persistent one.
func persist(op *operation) Request {
	op.persistent = true
	return Request{op: op, generation: op.generation}
}

// The element types of a message are compared if both ranks name them. The sender has its word
// travel as the mark of the message, and the receiver compares it when the receive is complete. A rank
// that says nothing sends 0, which matches everything.

// elements is the mark of a message from this buffer.
func elements(b *btl.Buffer) Mark { return Mark{Word: uint64(b.Of.Numbers())} }

// compareElements returns the error of an operation that ends with err and says what its message
// consists of. An error of the length is due to the type, if that is wrong.
func (op *operation) compareElements(err error) error {
	sent := datatype.Element(op.mark.Word)
	if op.kind != receiving || op.status.Bytes == 0 || op.buf.Of.Matches(sent) {
		return err
	}
	if err != nil {
		if _, ok := errors.AsType[*fault.TruncateError](err); !ok {
			return err
		}
	}
	return &fault.ElementError{Sent: sent, Received: op.buf.Of}
}
