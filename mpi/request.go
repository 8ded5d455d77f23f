package mpi

import (
	"context"

	"github.com/gopvas/gopvas/internal/msg/comm"
)

// Request is a nonblocking operation that was begun and not yet waited for. It is a
// value: its zero value, and a request that was waited for, stands for no operation,
// and so do copies of it and a nil *Request (MPI_REQUEST_NULL). To wait for none is over at once, with an
// empty Status. One goroutine at a time waits for a request: a second one gets
// ErrBusy. Every request must be waited for before Finalize, or found complete by a
// test; every persistent one freed.
type Request comm.Request

// inner is the request as the layer below sees it, which changes it in place.
func (r *Request) inner() *comm.Request { return (*comm.Request)(r) }

// begun is a request that the layer below has made, unless it has failed.
func begun(r comm.Request, err error) (Request, error) { return Request(r), err }

// Wait blocks until the operation is complete: its buffer is the caller's again. The
// status is that of a receive, for a send it is empty.
//
// MPI 4.1 section 3.7.3 (MPI_Wait).
func (r *Request) Wait() (Status, error) {
	st, err := r.inner().Wait()
	return Status(st), err
}

// WaitContext is Wait that gives up when ctx is done. The error then wraps the
// context's. The operation goes on: its buffer is still in use, and it has to be waited
// for again, after Cancel if it is a receive that will never come.
func (r *Request) WaitContext(ctx context.Context) (Status, error) {
	st, err := r.inner().WaitContext(ctx)
	return Status(st), err
}

// Done returns a channel that is closed when Wait would not block, for a select statement:
//
//	select {
//	case <-request.Done():
//		status, err := request.Wait()
//	case <-ctx.Done():
//	}
//
// The request must be waited for as any other, and another goroutine may wait meanwhile. As long as a channel is open a
// goroutine of the rank makes progress, and sleeps while nothing comes. Each call for a request that is not complete
// allocates a channel, once. A request that stands for nothing is complete.
func (r *Request) Done() <-chan struct{} { return r.inner().Done() }

// Test tells whether the operation is complete, and if so what Wait would. It does
// not block.
//
// MPI 4.1 section 3.7.3 (MPI_Test).
func (r *Request) Test() (st Status, done bool, err error) {
	s, done, err := r.inner().Test()
	return Status(s), done, err
}

// Active tells whether the request stands for an operation that was begun and not waited
// for.
func (r *Request) Active() bool { return r.inner().Active() }

// Cancel ends a receive that has no message yet, or a send to this rank that has no receive yet. It does not block.
// Wait then returns a status with Cancelled set, or the message if that was faster. The error wraps ErrCancelSend if
// the send goes on.
//
// MPI 4.1 section 3.8.4 (MPI_Cancel).
func (r *Request) Cancel() error { return r.inner().Cancel() }

// Start begins the operation of a persistent request, and does not block. It must be
// waited for before it is started again.
//
// MPI 4.1 section 3.9 (MPI_Start).
func (r *Request) Start() error { return r.inner().Start() }

// Free gives back a persistent request that is not active.
//
// MPI 4.1 section 3.7.3 (MPI_Request_free).
func (r *Request) Free() error { return r.inner().Free() }
