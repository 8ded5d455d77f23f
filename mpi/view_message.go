package mpi

import (
	"sync"

	"github.com/gopvas/gopvas/comm"
)

// checkSend returns the size of an element, or why the view can not be sent.
func (v *View[T]) checkSend() (size int, err error) {
	size, err = elementSize[T]()
	if err == nil {
		err = v.err
	}
	return size, err
}

// checkReceive is checkSend for a view that is to be received into.
func (v *View[T]) checkReceive() (size int, err error) {
	size, err = v.checkSend()
	if err == nil && v.overlaps {
		err = errOverlap
	}
	return size, err
}

// outgoing returns the elements of a view in one piece, as bytes, and where they are
// staged; nil: they are not.
func (v *View[T]) outgoing() (*staging, []byte, error) {
	size, err := v.checkSend()
	if err != nil {
		return nil, nil, err
	}
	stage, b := v.room(size)
	if stage != nil {
		v.gather(elements[T](b, size))
	}
	return stage, b, nil
}

// incoming returns memory that is to be received into, the size of an element, and the
// buffer that it is in; nil: it is the view's own.
func (v *View[T]) incoming() (stage *staging, b []byte, size int, err error) {
	size, err = v.checkReceive()
	if err != nil {
		return nil, nil, 0, err
	}
	stage, b = v.room(size)
	return stage, b, size, nil
}

// room returns the view's own memory if that is one piece, else a buffer that it is in.
func (v *View[T]) room(size int) (*staging, []byte) {
	if s, ok := v.contiguous(); ok {
		return nil, bytesOf(s, size)
	}
	return newStaging(v.count * size)
}

// arrived brings the first bytes of a staging buffer to where they belong.
func (v *View[T]) arrived(stage *staging, b []byte, size int, bytes uint64) {
	if stage != nil {
		n := int(min(bytes, uint64(len(b))))
		v.scatter(elements[T](b[:n], size))
	}
}

// SendView is Send for the elements of a view. The receiver gets them in one piece, or
// with a view of its own.
func SendView[T any](c *Comm, v View[T], dst, tag int) error {
	stage, b, err := v.outgoing()
	if err != nil {
		return comm.WrapSend("send view", dst, tag, err)
	}
	err = comm.Send(c, comm.Standard, b, dst, tag)
	stage.free(err)
	return err
}

// IsendView is Isend for the elements of a view. Whether the slice is copied before
// IsendView returns is not to be relied on: it is lent until the request is complete.
func IsendView[T any](c *Comm, v View[T], dst, tag int) (Request, error) {
	_, b, err := v.outgoing() // the request keeps a staging buffer, which is not used again
	if err != nil {
		return Request{}, comm.WrapSend("isend view", dst, tag, err)
	}
	return comm.Isend(c, comm.Standard, b, dst, tag)
}

// RecvView is Recv into the elements of a view, no two of which are the same. A shorter
// message fills the first of them; if it is no whole number of elements the rest is
// lost, unless the view is one piece.
func RecvView[T any](c *Comm, v View[T], src, tag int) (Status, error) {
	const op = "recv view"
	stage, b, size, err := v.incoming()
	if err != nil {
		return Status{}, comm.WrapReceive(op, src, tag, err)
	}
	var st Status
	err = comm.Recv(c, &st, b, size, src, tag)
	v.arrived(stage, b, size, st.Bytes())
	stage.free(err)
	return st, err
}

// ViewReceive is a receive into a view that was begun and not yet waited for. It must be
// waited for, or found complete by Test, before Finalize. Any goroutine may do so.
type ViewReceive struct {
	mu     sync.Mutex
	r      Request
	finish func(bytes uint64)
}

// IrecvView begins to receive into a view, as RecvView, and does not block. The slice is
// lent until the receive is complete: nothing is written before Wait or Test say so, but
// that is not to be relied on.
func IrecvView[T any](c *Comm, v View[T], src, tag int) (*ViewReceive, error) {
	stage, b, size, err := v.incoming()
	if err != nil {
		return nil, comm.WrapReceive("irecv view", src, tag, err)
	}
	r, err := comm.Irecv(c, b, size, src, tag)
	if err != nil {
		return nil, err
	}
	return &ViewReceive{r: r, finish: func(bytes uint64) { v.arrived(stage, b, size, bytes) }}, nil
}

// Wait blocks until the message is in its place. A second Wait is over at once, with an
// empty status.
func (r *ViewReceive) Wait() (Status, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	st, err := r.r.Wait()
	r.complete(st)
	return st, err
}

// Test tells whether the message is there, and if so what Wait would. It does not block,
// unless another goroutine waits.
func (r *ViewReceive) Test() (Status, bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	st, done, err := r.r.Test()
	if done {
		r.complete(st)
	}
	return st, done, err
}

func (r *ViewReceive) complete(st Status) {
	if r.finish != nil {
		r.finish(st.Bytes())
		r.finish = nil
	}
}

// SendrecvView is Sendrecv for the elements of two views, which may be of one slice if
// they have no element in common.
func SendrecvView[S, R any](c *Comm, send View[S], dst, sendTag int, recv View[R], src, recvTag int) (Status, error) {
	const op = "sendrecv view"
	from, out, err := send.outgoing()
	if err != nil {
		return Status{}, comm.WrapSend(op, dst, sendTag, err)
	}
	to, in, size, err := recv.incoming()
	if err != nil {
		return Status{}, comm.WrapReceive(op, src, recvTag, err)
	}
	st, err := comm.Sendrecv(c, op, out, dst, sendTag, in, size, src, recvTag)
	recv.arrived(to, in, size, st.Bytes())
	for _, stage := range []*staging{from, to} {
		stage.free(err)
	}
	return st, err
}
