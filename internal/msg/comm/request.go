package comm

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/gopvas/gopvas/internal/msg/pml"
)

// Request is a nonblocking operation that was begun and not yet waited for. It is a
// value: its zero value, and a request that was waited for, stands for no operation,
// and so do copies of it and a nil *Request (MPI_REQUEST_NULL). To wait for none is over at once, with an
// empty Status. One goroutine at a time waits for a request: a second one gets
// ErrBusy. Every request must be waited for before Finalize, or found complete by a
// test; every persistent one freed.
type Request struct {
	r pml.Request
}

var empty = Status{Source: AnySource, Tag: AnyTag}

// Wait blocks until the operation is complete.
func (r *Request) Wait() (Status, error) {
	if r == nil {
		return empty, nil
	}
	pause(r.r.Engine())
	u := unitOf(r.r.Unit)
	st, err := r.r.Wait()
	if err != nil {
		err = Wrap("wait", inElements(err, u.size))
	}
	return statusIn(u, st), err
}

// WaitContext is Wait that gives up when ctx is done.
func (r *Request) WaitContext(ctx context.Context) (Status, error) {
	if r == nil {
		return empty, nil
	}
	pause(r.r.Engine())
	u := unitOf(r.r.Unit)
	st, err := r.r.WaitContext(ctx)
	return statusIn(u, st), Wrap("wait", inElements(err, u.size))
}

// Done returns a channel that is closed when Wait would not block.
func (r *Request) Done() <-chan struct{} {
	if r == nil {
		return new(pml.Request).Done()
	}
	return r.r.Done()
}

// Test tells whether the operation is complete, and if so what Wait would.
func (r *Request) Test() (st Status, done bool, err error) {
	if r == nil {
		return empty, true, nil
	}
	pause(r.r.Engine())
	u := unitOf(r.r.Unit)
	s, done, err := r.r.Test()
	return statusIn(u, s), done, Wrap("test", inElements(err, u.size))
}

// Cancel ends a receive that has no message yet.
func (r *Request) Cancel() error {
	if r == nil {
		return nil
	}
	return Wrap("cancel", r.r.Cancel())
}

// Start begins the operation of a persistent request, and does not block.
func (r *Request) Start() error {
	if r == nil {
		return Wrap("start", ErrNotPersistent)
	}
	return Wrap("start", r.r.Start())
}

// Free gives back a persistent request that is not active.
func (r *Request) Free() error {
	if r == nil {
		return Wrap("free", ErrNotPersistent)
	}
	return Wrap("free", r.r.Free())
}

// WaitAll blocks until all operations are complete. MPI 4.1 section 3.7.5 (MPI_Waitall).
func WaitAll(reqs []Request, statuses []Status) error {
	if err := checkStatuses(reqs, statuses); err != nil {
		return Wrap("wait all", err)
	}
	e := pml.EngineOf(inner(reqs))
	if e == nil { // nothing, or sends that were over when they began
		clear(reqs)
		for i := range statuses {
			statuses[i] = empty
		}
		return nil
	}
	pause(e)
	var failed error
	var waits pml.Waits
	waits.Begin(e)
	for i := range reqs {
		r := &reqs[i].r
		u := unitOf(r.Unit)
		st, err := waits.Wait(r)
		if statuses != nil {
			statuses[i].set(u, st)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("request %d: %w", i, Wrap("wait", inElements(err, u.size))))
		}
	}
	waits.End()
	return failed
}

// Waits are waits for several requests of a rank, one after the other, that take the engine's
// lock once. Between Begin and End the goroutine makes no other call.
type Waits struct{ w pml.Waits }

// Begin begins waits for requests of the rank that c is of. It is called once.
func (w *Waits) Begin(c *Comm) { w.w.Begin(c.engine) }

// Wait is Request.Wait. The status is written to *st.
func (w *Waits) Wait(r *Request, st *Status) error {
	u := unitOf(r.r.Unit)
	s, err := w.w.Wait(&r.r)
	st.set(u, s)
	if err != nil {
		err = Wrap("wait", inElements(err, u.size))
	}
	return err
}

// Messages and what follows are Wait, or Test, for most messages: see pml.Waits.
func (w *Waits) Messages() pml.Table                     { return w.w.Messages() }
func (w *Waits) Complete(op *Operation) bool             { return w.w.Complete(op) }
func (w *Waits) Failed(op *Operation) bool               { return w.w.Failed(op) }
func (w *Waits) Look() bool                              { return w.w.Look() }
func (w *Waits) Vain()                                   { w.w.Vain() }
func (w *Waits) Over(op *Operation, handle uintptr) bool { return w.w.Over(op, handle) }
func (w *Waits) Drop(op *Operation)                      { w.w.Drop(op) }

// Taken is the status of a complete message, until Drop.
type Taken struct {
	st   *pml.Status
	unit uint32
}

// TakenOf returns that of a message.
func TakenOf(op *Operation) Taken { return Taken{op.Status(), op.Unit()} }

// Source is the rank in the communicator.
func (t Taken) Source() int {
	if g := unitOf(t.unit).group; g != nil {
		return g.source(t.st.Source)
	}
	return t.st.Source
}

// Tag is that of the message.
func (t Taken) Tag() int { return t.st.Tag }

// Bytes is the length of what was received.
func (t Taken) Bytes() int { return int(t.st.Bytes) }

// Cancelled tells whether the receive was cancelled.
func (t Taken) Cancelled() bool { return t.st.Cancelled }

// End ends the waits.
func (w *Waits) End() { w.w.End() }

// TestAll returns true if all operations are complete, and then does what WaitAll would; else
// it changes nothing. MPI 4.1 section 3.7.5 (MPI_Testall).
func TestAll(reqs []Request, statuses []Status) (bool, error) {
	if err := checkStatuses(reqs, statuses); err != nil {
		return false, Wrap("test all", err)
	}
	if done, err := progress(reqs); !done {
		yieldFor(reqs)
		return false, Wrap("test all", cmp.Or(err, pml.Pending(inner(reqs))))
	}
	return true, WaitAll(reqs, statuses)
}

// WaitAny blocks until one of the operations is complete, and returns its index and what Wait
// would. MPI 4.1 section 3.7.5 (MPI_Waitany).
func WaitAny(reqs []Request) (int, Status, error) {
	i, err := awaitAny(reqs)
	if i == Undefined || err != nil {
		return i, empty, Wrap("wait any", err)
	}
	st, err := reqs[i].Wait()
	return i, st, Wrap("wait any", Bare(err))
}

// WaitSome blocks until at least one of the operations is complete, and does what Wait would
// for all that are. MPI 4.1 section 3.7.5 (MPI_Waitsome).
func WaitSome(reqs []Request, indices []int, statuses []Status) ([]int, []Status, error) {
	first, err := awaitAny(reqs)
	if first == Undefined || err != nil {
		return indices, statuses, Wrap("wait some", err)
	}
	return takeSome("wait some", reqs, first, indices, statuses)
}

// takeSome does what Wait would for all complete operations, from an index on.
func takeSome(op string, reqs []Request, first int, indices []int, statuses []Status) ([]int, []Status, error) {
	var failed, pending error
	before := len(indices)
	for i := first; i < len(reqs); i++ {
		r := &reqs[i]
		if !r.r.Active() {
			continue
		}
		st, done, err := r.take()
		if !done {
			pending = cmp.Or(pending, err)
			continue
		}
		indices, statuses = append(indices, i), append(statuses, st)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("request %d: %w", i, Wrap(op, err)))
		}
	}
	if len(indices) == before {
		failed = Wrap(op, pending)
	}
	return indices, statuses, failed
}

// TestAny is WaitAny that does not block: done tells whether one of the operations is
// complete, or none stands for an operation. MPI 4.1 section 3.7.5 (MPI_Testany).
func TestAny(reqs []Request) (i int, st Status, done bool, err error) {
	if _, err := progress(reqs); err != nil {
		return Undefined, empty, false, Wrap("test any", err)
	}
	active := false
	var pending error
	for i := range reqs {
		r := &reqs[i]
		if !r.Active() {
			continue
		}
		active = true
		st, done, err := r.take()
		if done {
			return i, st, true, Wrap("test any", err)
		}
		pending = cmp.Or(pending, err)
	}
	if active {
		yieldFor(reqs)
	}
	return Undefined, empty, !active, Wrap("test any", pending)
}

// TestSome is WaitSome that does not block: there may be no index.
//
// MPI 4.1 section 3.7.5 (MPI_Testsome).
func TestSome(reqs []Request, indices []int, statuses []Status) ([]int, []Status, error) {
	_, err := progress(reqs)
	if err != nil {
		return indices, statuses, Wrap("test some", err)
	}
	before := len(indices)
	if indices, statuses, err = takeSome("test some", reqs, 0, indices, statuses); len(indices) == before {
		yieldFor(reqs)
	}
	return indices, statuses, err
}

// StartAll starts persistent requests. MPI 4.1 section 3.9 (MPI_Startall).
func StartAll(reqs []Request) error {
	var failed error
	for i := range reqs {
		if err := reqs[i].Start(); err != nil {
			failed = errors.Join(failed, fmt.Errorf("request %d: %w", i, err))
		}
	}
	return failed
}

// Active tells whether the request stands for an operation that was begun and not waited for.
func (r *Request) Active() bool { return r != nil && r.r.Active() }

// progress brings the operations on, and tells whether all are complete.
func progress(reqs []Request) (done bool, err error) {
	pause(pml.EngineOf(inner(reqs)))
	return pml.AllDone(inner(reqs))
}

// pause waits before a call on requests, of a rank that is delayed.
func pause(e *pml.Engine) {
	if e != nil && e.Before != nil {
		e.Before()
	}
}

// yieldFor ends a test that has found nothing.
func yieldFor(reqs []Request) {
	if e := pml.EngineOf(inner(reqs)); e != nil {
		e.Waiter().Yield()
	}
}

// take is Test without progress and prefix.
func (r *Request) take() (Status, bool, error) {
	u := unitOf(r.r.Unit)
	st, done, err := r.r.Take()
	return statusIn(u, st), done, inElements(err, u.size)
}

// awaitAny returns the index of the first complete request, Undefined if there is
// nothing to wait for.
func awaitAny(reqs []Request) (int, error) {
	pause(pml.EngineOf(inner(reqs)))
	return pml.AwaitAny(inner(reqs)) // which says Undefined as -1
}

func checkStatuses(reqs []Request, statuses []Status) error {
	if statuses != nil && len(statuses) != len(reqs) {
		return fmt.Errorf("%d statuses for %d requests: pass as many, or nil", len(statuses), len(reqs))
	}
	return nil
}

// Peek is Request.Test, but leaves the request as it is: it has to be waited for as before.
//
// MPI 4.1 section 3.7.6 (MPI_Request_get_status).
func Peek(r *Request) (st Status, done bool, err error) {
	if r == nil {
		return empty, true, nil
	}
	u := unitOf(r.r.Unit)
	s, done, err := r.r.Peek()
	return statusIn(u, s), done, Wrap("get status", err)
}

// Leave gives up a request: its operation goes on, and nobody waits for it. A persistent
// request that is not active is freed.
//
// MPI 4.1 section 3.7.3 (MPI_Request_free).
func Leave(r *Request) error {
	if !Over(r) && !r.Active() {
		return r.Free()
	}
	r.r.Leave()
	return nil
}

// Over tells whether the request stands for nothing, or for a send that was complete when it
// began. A wait for it returns at once, with an empty status.
func Over(r *Request) bool { return r.r.Engine() == nil }

// EmptyStatus returns the status of a send, and of a request that stands for nothing.
func EmptyStatus() Status { return empty }

// Place tells where a request stands that is not Over: the place of its operation in the rank, and
// a generation that tells apart the requests that have the same place.
func Place(r *Request) (place int, generation uint32) { return r.r.Place(), r.r.Generation() }

// SetOwner has a request that is not Over found by its place and a handle other than 0. A wait for
// it ends that unless it is persistent; to free or leave it does. The owner is the caller's own record.
func SetOwner(r *Request, handle uintptr, owner *any) { r.r.SetOwner(handle, owner) }

// RequestAt returns the request that has a place in the rank that c is of, and a handle, and its
// owner; nil if there is none.
func RequestAt(c *Comm, place int, handle uintptr) (r Request, owner *any) {
	r.r, owner = c.engine.Table().At(place, handle)
	return r, owner
}

// An Operation is what a request stands for, as Messages finds it.
type Operation = pml.Op

// Messages are the operations of the rank that c is of, which their handles find.
func Messages(c *Comm) pml.Table { return c.engine.Table() }

// OwnerAt is RequestAt for the owner alone.
func OwnerAt(c *Comm, place int, handle uintptr) *any { return c.engine.Table().Owner(place, handle) }

// Told is what the status of a complete message says, if that is simple: a message of the world has come.
func Told(op *Operation) (source, tag, bytes int, simple bool) {
	st := op.Status()
	return st.Source, st.Tag, int(st.Bytes), int(int32(op.Unit()))|st.Source|st.Tag >= 0 && !st.Cancelled
}
