package capi

import (
	"errors"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/mpi/fault"
)

// located is an error of an operation on a communicator, for calls that name none.
type located struct {
	error
	on *communicator
}

func (l located) Unwrap() error { return l.error }

// finish ends a request whose operation is over with a status and an error: it tells the
// status and what has become of the handle. The error is located. A request that another thread
// waits for is left to that.
func (p *Process) finish(q request, st *comm.Status, err error, status Status) (h Request, _ error) {
	if err != nil && (errors.Is(err, comm.ErrBusy) || errors.Is(err, comm.ErrOperator) || pending(err)) { // it goes on
		return q.handle, located{err, q.on}
	}
	h = REQUEST_NULL
	if q.persistent {
		h, q.active = q.handle, false
	}
	switch {
	case q.grequest != nil:
		err = p.queryGeneralized(q.grequest, status)
	default:
		status.set(st)
	}
	if err != nil {
		err = located{err, q.on}
	}
	return h, err
}

// pending tells whether an error is of a receive that goes on though a rank has failed.
func pending(err error) bool {
	_, is := errors.AsType[*fault.PendingError](err)
	return is
}

// set writes a status.
func (s Status) set(st *comm.Status) {
	if s.Ignored() {
		return
	}
	s.words().set(peerOut(st.Source), tagOut(st.Tag), int(st.Bytes), st.Cancelled)
}

// wanted returns the memory of a status, nil if it is ignored.
func (s Status) wanted() *statusWords {
	if s.Ignored() {
		return nil
	}
	return s.words()
}

// setTaken writes the status of a complete message, if it is wanted.
func (w *statusWords) setTaken(op *comm.Operation) {
	if w == nil {
		return
	}
	if source, tag, bytes, simple := comm.Told(op); simple {
		w.set(source, tag, bytes, false)
	} else {
		w.setOther(comm.TakenOf(op))
	}
}

// setOther is setTaken of any message.
func (w *statusWords) setOther(t comm.Taken) {
	w.set(peerOut(t.Source()), tagOut(t.Tag()), t.Bytes(), t.Cancelled())
}

// setSent writes the status of a send that was over when it began, if it is wanted.
func (w *statusWords) setSent() {
	if w != nil {
		w.set(ANY_SOURCE, ANY_TAG, 0, false)
	}
}

// setBytes writes the status of an operation that is no message: an empty one, but for the bytes.
func (s Status) setBytes(n int) {
	s.SetMessage(ANY_SOURCE, ANY_TAG, n, false)
}

// setEmpty writes the empty status, that of no operation: MPI 5.0 section 3.7.3.
func (s Status) setEmpty() {
	s.SetMessage(ANY_SOURCE, ANY_TAG, 0, false)
	s.SetError(SUCCESS)
}

// Wait is MPI_Wait. It goes the short way of awaitMessages, and looks for null pointers among its arguments
// before Begin. The access to one panics, and the engine must not stay locked then.
func (p *Process) Wait(r Ptr[Request], status Status) error {
	h := r.Get()
	if h == doneRequest {
		r.Set(REQUEST_NULL)
		status.wanted().setSent()
		return nil
	}
	if p.traced {
		return p.waitOther(nil, r, status)
	}
	out := status.wanted()
	var one comm.Waits
	one.Begin(p.world.c)
	op := one.Messages().Message(placeOf(uintptr(h)), uintptr(h))
	over := op != nil && one.Over(op, uintptr(h))
	if over {
		out.setTaken(op)
		one.Drop(op)
	}
	one.End()
	if !over {
		return p.waitOther(nil, r, status)
	}
	r.Set(REQUEST_NULL)
	return nil
}

// waitOther is the wait for any request. It may be one of several waits; nil: it is the only one.
func (p *Process) waitOther(one *comm.Waits, at Ptr[Request], status Status) error {
	q, err := p.request(at.Get())
	if err != nil {
		return err
	}
	if q.idle() {
		status.setEmpty()
		return nil
	}
	var st comm.Status
	if one != nil {
		err = one.Wait(&q.r, &st)
	} else {
		st, err = q.r.Wait()
	}
	h, err := p.finish(q, &st, err, status)
	at.Set(h)
	return err
}

// Test is MPI_Test.
func (p *Process) Test(r Ptr[Request], flag Ref, status Status) error {
	if first, known := p.takeFirst(Handles[Request](r).slice(1), status); known {
		flag.SetBool(first >= 0)
		return nil
	}
	q, err := p.request(r.Get())
	if err != nil {
		return err
	}
	if q.idle() {
		flag.SetBool(true)
		status.setEmpty()
		return nil
	}
	over, err := p.test(q, r, status)
	flag.SetBool(over)
	return err
}

// test finishes an active request if it is complete, and tells that.
func (p *Process) test(q request, r Ptr[Request], status Status) (over bool, err error) {
	st, over, err := q.r.Test()
	if over {
		var h Request
		h, err = p.finish(q, &st, err, status)
		r.Set(h)
	} else if err != nil {
		err = located{err, q.on}
	}
	return over, err
}

// Request_free is MPI_Request_free. A collective operation or a partitioned message must be complete: then
// MPI_Request_get_status may have told so, and MPI 4.1 section 3.7.6 lets its request be freed. Its error is
// returned then.
func (p *Process) Request_free(r Ptr[Request]) error {
	q, err := p.request(r.Get())
	if err != nil {
		return err
	}
	if q.owner == nil {
		return fail(ERR_REQUEST, "the request is MPI_REQUEST_NULL")
	}
	if (q.collective || q.parts != nil) && !q.idle() {
		over, failed := p.test(q, r, Status{})
		switch {
		case !over:
			return located{fail(ERR_REQUEST, "the request is that of a %s that is underway: it can only be waited for",
				q.noun()), q.on}
		case !q.persistent:
			return failed
		}
		err = failed
	}
	r.Set(REQUEST_NULL)
	if q.grequest != nil {
		if q.grequest.ends.Or(grequestFreed)&grequestComplete == 0 {
			return nil
		}
		return p.leaveGeneralized(q)
	}
	free := comm.Leave(&q.r)
	if q.own != nil {
		free = errors.Join(free, q.own.Free())
	}
	if err != nil {
		return err // of the operation; what is left of it is freed as well as it can be
	}
	return free
}

// noun is what the request of an operation that may be neither cancelled nor freed while it is active is of.
func (q request) noun() string {
	if q.parts != nil {
		return "partitioned message"
	}
	return "collective operation"
}

// Cancel is MPI_Cancel. A send that its receiver may know of goes on.
func (p *Process) Cancel(r Ptr[Request]) error {
	q, err := p.request(r.Get())
	switch {
	case err != nil:
		return err
	case q.idle():
		return fail(ERR_REQUEST, "the request is not active: there is nothing to cancel")
	case q.collective || q.parts != nil:
		return located{fail(ERR_REQUEST, "the request is that of a %s: it cannot be cancelled", q.noun()), q.on}
	case q.grequest != nil:
		return p.cancelGeneralized(q.grequest)
	}
	if err := q.r.Cancel(); err != nil && !errors.Is(err, comm.ErrCancelSend) {
		return located{err, q.on}
	}
	return nil
}

// Start is MPI_Start.
func (p *Process) Start(r Ptr[Request]) error {
	q, err := p.request(r.Get())
	switch {
	case err != nil:
		return err
	case q.owner == nil || !q.persistent:
		return fail(ERR_REQUEST, "the request is not persistent: it cannot be started")
	case q.active:
		return located{fail(ERR_REQUEST, "the request is active: wait for it before it is started again"), q.on}
	}
	if err := q.r.Start(); err != nil {
		return located{err, q.on}
	}
	q.active = true
	return nil
}

// Startall is MPI_Startall.
func (p *Process) Startall(n int, r Handles[Request]) error {
	for i := range n {
		if err := p.Start(r.ptr(i)); err != nil {
			return err
		}
	}
	return nil
}

// Request_get_status is MPI_Request_get_status.
func (p *Process) Request_get_status(r Request, flag Ref, status Status) error {
	q, err := p.request(r)
	if err != nil {
		return err
	}
	done, err := p.peek(q, status)
	flag.SetBool(done)
	return err
}

// peek tells whether a request is complete, and writes the status if so.
func (p *Process) peek(q request, status Status) (done bool, err error) {
	if q.idle() {
		status.setEmpty()
		return true, nil
	}
	st, done, err := comm.Peek(&q.r)
	switch {
	case !done:
		return false, err
	case q.grequest != nil:
		return true, p.queryStatus(q.grequest, status)
	}
	status.set(&st)
	if err != nil {
		err = located{err, q.on}
	}
	return true, err
}
