package capi

import (
	"errors"

	"github.com/gopvas/gopvas/comm"
)

// located is an error of an operation on a communicator, for calls that name none.
type located struct {
	error
	on *communicator
}

func (l located) Unwrap() error { return l.error }

// request returns the request of a handle, nil for MPI_REQUEST_NULL.
func (p *Process) request(h Request) (*request, error) {
	switch h {
	case REQUEST_NULL:
		return nil, nil
	case doneRequest:
		return done, nil
	}
	if q := p.requests.get(h); q != nil {
		return q, nil
	}
	return nil, wrongHandle(kindRequest, uintptr(h))
}

// done is the request of all sends that were over when they began. It is in no table, and
// nobody writes to it.
var done = &request{handle: doneRequest}

const doneRequest = Request(firstPlace-1)<<kindBits | Request(kindRequest)

// begun gives a nonblocking operation a handle.
func (p *Process) begun(r comm.Request, on *communicator, out Ptr[Request]) *request {
	q := p.requests.take()
	q.r, q.on = r, on
	out.Set(q.handle)
	return q
}

// begin is begun of what a call has returned.
func (p *Process) begin(r comm.Request, err error, on *communicator, out Ptr[Request]) error {
	switch {
	case err != nil:
		return err
	case comm.Over(&r):
		out.Set(doneRequest)
	default:
		p.begun(r, on, out)
	}
	return nil
}

// prepare gives a persistent operation a handle.
func (p *Process) prepare(r comm.Request, err error, on *communicator, out Ptr[Request]) error {
	if err != nil {
		return err
	}
	p.prepared(r, on, out)
	return nil
}

func (p *Process) prepared(r comm.Request, on *communicator, out Ptr[Request]) *request {
	q := p.begun(r, on, out)
	q.special = &special{persistent: true}
	return q
}

// prepareAnew is prepare for an operation that each start begins anew.
func (p *Process) prepareAnew(start func() (comm.Request, error), on *communicator, out Ptr[Request]) error {
	p.prepared(comm.Request{}, on, out).special.start = start
	return nil
}

// drop takes away the handle of a request that is over.
func (p *Process) drop(q *request) {
	if q != done {
		p.requests.give(q)
	}
}

// finish ends a request whose operation is over with a status and an error: it tells the
// status and what has become of the handle. The error is located.
func (p *Process) finish(q *request, st *comm.Status, err error, status Status) (Request, error) {
	h := REQUEST_NULL
	switch {
	case q == done:
		status.setEmpty()
		return h, nil
	case q.special != nil:
		h, err = p.finishSpecial(q, st, err, status)
	default:
		status.set(st)
	}
	if err != nil {
		err = located{err, q.on}
	}
	if h == REQUEST_NULL {
		p.requests.give(q)
	}
	return h, err
}

// finishSpecial is finish of a persistent or generalized request.
func (p *Process) finishSpecial(q *request, st *comm.Status, err error, status Status) (Request, error) {
	s := q.special
	if s.persistent {
		s.active = false
	}
	if s.grequest != nil {
		err = p.queryGeneralized(s.grequest, status)
	} else {
		if s.parts != nil && s.parts.send == nil && !st.Cancelled {
			st.Tag = s.parts.tag // that of the message tells apart those with the same tag
		}
		status.set(st)
	}
	if s.persistent {
		return q.handle, err
	}
	return REQUEST_NULL, err
}

// set writes a status.
func (s Status) set(st *comm.Status) {
	if s.Ignored() {
		return
	}
	source, tag := peerOut(st.Source), tagOut(st.Tag)
	s.SetMessage(source, tag, int(st.Bytes()), st.Cancelled)
}

// setEmpty writes the empty status.
func (s Status) setEmpty() {
	if !s.Ignored() {
		s.SetMessage(ANY_SOURCE, ANY_TAG, 0, false)
	}
}

// Wait is MPI_Wait.
func (p *Process) Wait(r Ptr[Request], status Status) error { return p.wait(nil, r, status) }

// wait is Wait, which may be one of several waits; nil: it is the only one.
func (p *Process) wait(one *comm.Waits, r Ptr[Request], status Status) error {
	q, err := p.request(r.Get())
	if err != nil {
		return err
	}
	if q.idle() {
		status.setEmpty()
		return nil
	}
	var st comm.Status
	switch {
	case q == done:
	case one != nil:
		err = one.Wait(&q.r, &st)
	default:
		st, err = q.r.Wait()
	}
	h, err := p.finish(q, &st, err, status)
	r.Set(h)
	return err
}

// Test is MPI_Test.
func (p *Process) Test(r Ptr[Request], flag Ref, status Status) error {
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
func (p *Process) test(q *request, r Ptr[Request], status Status) (over bool, err error) {
	st, over, err := q.test()
	if over {
		var h Request
		h, err = p.finish(q, &st, err, status)
		r.Set(h)
	}
	return over, err
}

// test is comm.Request.Test.
func (q *request) test() (comm.Status, bool, error) {
	if q == done {
		return comm.EmptyStatus(), true, nil
	}
	return q.r.Test()
}

// Request_free is MPI_Request_free.
func (p *Process) Request_free(r Ptr[Request]) error {
	q, err := p.request(r.Get())
	if err != nil {
		return err
	}
	switch {
	case q == nil:
		return fail(ERR_REQUEST, "the request is MPI_REQUEST_NULL")
	case q.collective() && q.special.active:
		return located{fail(ERR_REQUEST, "the request is that of a collective operation that is underway: it can only be waited for"), q.on}
	}
	r.Set(REQUEST_NULL)
	if q.generalized() != nil {
		return p.leaveGeneralized(q)
	}
	left, s := q.r, q.special
	p.drop(q)
	err = comm.Leave(&left)
	if s != nil && s.own != nil {
		err = errors.Join(err, s.own.Free())
	}
	return err
}

// Cancel is MPI_Cancel. Sends go on.
func (p *Process) Cancel(r Ptr[Request]) error {
	q, err := p.request(r.Get())
	switch {
	case err != nil:
		return err
	case q.idle():
		return fail(ERR_REQUEST, "the request is not active: there is nothing to cancel")
	case q == done:
		return nil
	case q.collective():
		return located{fail(ERR_REQUEST, "the request is that of a collective operation: it can not be cancelled"), q.on}
	case q.generalized() != nil:
		return p.cancelGeneralized(q.special.grequest)
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
	case q == nil || q.special == nil || !q.special.persistent:
		return fail(ERR_REQUEST, "the request is not persistent: it can not be started")
	case q.special.active:
		return located{fail(ERR_REQUEST, "the request is active: wait for it before it is started again"), q.on}
	}
	if q.special.start != nil {
		q.r, err = q.special.start()
	} else {
		err = q.r.Start()
	}
	if err != nil {
		return located{err, q.on}
	}
	q.special.active = true
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
func (p *Process) peek(q *request, status Status) (done bool, err error) {
	if q.idle() {
		status.setEmpty()
		return true, nil
	}
	st, done, err := comm.Peek(&q.r)
	switch {
	case !done:
		return false, err
	case q.generalized() != nil:
		return true, p.queryStatus(q.special.grequest, status)
	}
	status.set(&st)
	if err != nil {
		err = located{err, q.on}
	}
	return true, err
}
