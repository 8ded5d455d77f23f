package comm

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/msg/recorder"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

var (
	// ErrInitialized means that Init was called a second time in a process.
	ErrInitialized = errors.New("already initialized: a process calls Init once, and not again after Finalize")

	// Errors of the engine, which mpi describes.
	ErrFinalized     = pml.ErrFinalized
	ErrBusy          = pml.ErrBusy
	ErrOperator      = pml.ErrOperator
	ErrActive        = pml.ErrActive
	ErrNotPersistent = pml.ErrNotPersistent
	ErrCancelSend    = pml.ErrCancelSend
	ErrRevoked       = pml.ErrRevoked
	ErrNoMessage     = pml.ErrNoMessage

	// ErrNotOneAddressSpace means that the operation reads a peer's memory where
	// it lies, and the ranks of this job are separate processes.
	ErrNotOneAddressSpace = errors.New("the ranks do not share one address space: " +
		"run with pvasrun --btl pvas, or use memory from WinAllocateShared")

	// ErrSeveralNodes means that the operation needs memory that all ranks of the
	// communicator reach, and they are on several nodes.
	ErrSeveralNodes = errors.New("the ranks are on several nodes, which share no memory: " +
		"use a communicator of one node, such as SplitType makes, or messages")

	// ErrFreed means that a communicator was used after Free.
	ErrFreed = errors.New("the communicator was freed: use it no more, or free it later")

	// ErrNoComm means that a communicator is nil.
	ErrNoComm = errors.New("the communicator is nil: this rank is not in it")

	// ErrInterrupted means that a collective operation on the communicator was interrupted by the end of a context.
	ErrInterrupted = errors.New("a collective operation on the communicator was interrupted, so this rank is out of " +
		"step with others: use With on a communicator of its own (Dup)")

	// ErrView means that a call was made on a view that is not for views.
	ErrView = errors.New("a view under a context (With) is for messages and collective operations: " +
		"make this call on the communicator itself")

	// ErrWindowFreed means that a window was used after Free.
	ErrWindowFreed = errors.New("the window was freed: use it no more, or free it later")

	// ErrPending means that a communicator from Idup was used before its request was
	// complete.
	ErrPending = errors.New("the communicator is not made yet: wait for the request of Idup")

	// ErrWorld means that the world, or Self, was to be freed.
	ErrWorld = errors.New("the world cannot be freed: it ends with Finalize")

	// ErrNotWorld means that the operation exists for the communicator from Init only.
	ErrNotWorld = errors.New("not possible on this communicator: use the one from Init")
)

// ErrSeveralJobs means that the operation needs more of its ranks than messages, and they are of several jobs.
var ErrSeveralJobs = errors.New("the ranks are of several jobs, which have messages in common, but no windows: " +
	"use a communicator of one job, such as SplitType makes")

// jobOf is the job of this process, for errors; nil before Init.
var jobOf atomic.Pointer[job.Root]

// zeroComm is ErrNoComm for a communicator that no call has made, such as new(Comm).
type zeroComm struct{}

func (zeroComm) Error() string {
	return "no call has made the communicator: use one from Init, or from a call on that, such as Dup or Split"
}

func (zeroComm) Is(err error) bool { return err == ErrNoComm }

// Errors of the layers below, which mpi describes.
type ()

// OverlapError means that a call sends from memory that it receives into. It is ErrOverlap.
type OverlapError struct {
	Send, Recv [2]uint64 // the addresses of the first byte and of the one behind the last
}

// Error names both ranges, and what to call.
func (e *OverlapError) Error() string {
	return fmt.Sprintf("the send buffer (%#x to %#x) and the receive buffer (%#x to %#x) overlap: "+
		"use two buffers, or SendrecvReplace, in C MPI_Sendrecv_replace", e.Send[0], e.Send[1], e.Recv[0], e.Recv[1])
}

// Is tells that it is ErrOverlap.
func (e *OverlapError) Is(target error) bool { return target == ErrOverlap }

// Disjoint returns an error if a message is to be sent from memory that another is received into.
func Disjoint(op string, out, in *Buffer) error {
	if !out.Meets(in) {
		return nil
	}
	e := &OverlapError{}
	e.Send[0], e.Send[1] = out.Range()
	e.Recv[0], e.Recv[1] = in.Range()
	return Wrap(op, e)
}

// inElements has a *TruncateError give lengths in elements of that size, too.
func inElements(err error, size int) error {
	if err == nil {
		return nil
	}
	if t, ok := errors.AsType[*fault.TruncateError](err); ok {
		t.Element = size
	}
	return err
}

// Wrap says which operation failed. Of the errors that a caller may tell apart
// the lower layers' account is left out: it would repeat the operation. Errors begin with
// "mpi" whatever the face that the program calls: users know MPI, not this package.
func Wrap(op string, err error) error {
	if err == nil {
		return nil
	}
	if pending, ok := errors.AsType[*fault.PendingError](err); ok {
		return place("mpi: "+op+": ", pending)
	}
	if lost, ok := errors.AsType[*fault.LostError](err); ok {
		if err = lost; lost.Of == "" && jobOf.Load() != nil {
			err = &fault.LostError{Rank: lost.Rank, Of: jobOf.Load().OtherJob(lost.Rank)}
		}
	}
	return place("mpi: "+op+": ", err)
}

// placed is an error of a call, and where in the program the call stands.
type placed struct {
	call  string // goes before the error
	err   error
	place string // "main.go:41"; "": not known, or err has it
}

// Unwrap returns the error.
func (e *placed) Unwrap() error { return e.err }

// Error ends with the place: users look for what is wrong first.
func (e *placed) Error() string {
	if e.place == "" {
		return e.call + e.err.Error()
	}
	return e.call + e.err.Error() + " (" + e.place + ")"
}

// Placed adds the file and line at which the program has made the call that failed. It adds nothing if err has them, or
// if the program is one in C. It takes a microsecond or two.
func Placed(err error) error { return place("", err) }

func place(call string, err error) error {
	e := &placed{call: call, err: err}
	if _, known := errors.AsType[*placed](err); !known {
		e.place, _, _ = strings.Cut(recorder.Caller(), " ")
	}
	return e
}

// nonblockingError and persistentError are Wrap for the forms of an operation that
// begin and that prepare it.
func nonblockingError(op string, err error) error {
	if err == nil {
		return nil
	}
	return Wrap("i"+op, err)
}

func persistentError(op string, err error) error {
	if err == nil {
		return nil
	}
	return Wrap(op+" init", err)
}

// WrapSend says which send failed; nil if err is.
func WrapSend(op string, dst, tag int, err error) error {
	if err == nil {
		return nil
	}
	return Wrap(fmt.Sprintf("%s to %s, tag %d", op, PeerName(dst), tag), err)
}

// PeerName names the rank that a message goes to, or comes from, for errors.
func PeerName(rank int) string {
	switch rank {
	case AnySource:
		return "any source"
	case AnyTag:
		return "AnyTag as source (which comes before the tag)"
	case ProcNull:
		return "ProcNull"
	}
	return fmt.Sprintf("rank %d", rank)
}

// WrapReceive says which receive or probe failed; nil if err is.
func WrapReceive(op string, src, tag int, err error) error {
	if err == nil {
		return nil
	}
	with := fmt.Sprintf("tag %d", tag)
	switch tag {
	case AnyTag:
		with = "any tag"
	case AnySource:
		with = "AnySource as tag"
	}
	return Wrap(fmt.Sprintf("%s from %s, %s", op, PeerName(src), with), err)
}

// causeTime is longer than pvasrun takes to end the ranks of a job in which one has failed.
const causeTime = time.Second

// AwaitCause is called before a rank fails because of err. If err only follows from what another rank has
// done, that rank's message says what is wrong, and pvasrun is about to end this one by a signal. Then
// AwaitCause waits for that. It returns after a second if no signal comes, as when the other rank has left
// with exit code 0. In a job that survives none comes.
func AwaitCause(err error) {
	if root := jobOf.Load(); follows(err) && (root == nil || !job.Survives(root)) {
		time.Sleep(causeTime) // SIGTERM ends it
	}
}

// follows tells whether another rank has got an error of its own, or has gone.
func follows(err error) bool {
	if _, lost := errors.AsType[*fault.LostError](err); lost {
		return true
	}
	mismatch, ok := errors.AsType[*fault.MismatchError](err)
	return ok && mismatch.Refused
}
