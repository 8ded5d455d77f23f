package mpi

import "github.com/gopvas/gopvas/internal/msg/comm"

// Send sends the elements of the view, as the function Send does those of a slice. The
// receiver gets them in one piece, or with a view of its own.
func (v View[T]) Send(c *Comm, dst, tag int) error { return v.send(c, comm.Standard, dst, tag) }

// Ssend is Send that blocks until the receive has begun.
func (v View[T]) Ssend(c *Comm, dst, tag int) error { return v.send(c, comm.Synchronous, dst, tag) }

func (v *View[T]) send(c *Comm, mode comm.Mode, dst, tag int) error {
	b, of, err := v.outgoing()
	if err != nil {
		return comm.WrapSend("send view", dst, tag, err)
	}
	return comm.SendBuffer(c.inner(), mode, b, of, dst, tag)
}

// Isend begins to send the elements of the view and does not block. They may
// be read until the request is complete, and not be written to.
func (v View[T]) Isend(c *Comm, dst, tag int) (Request, error) {
	return v.isend(c, comm.Standard, dst, tag)
}

// Issend is Isend whose request is complete only when the receive has begun.
func (v View[T]) Issend(c *Comm, dst, tag int) (Request, error) {
	return v.isend(c, comm.Synchronous, dst, tag)
}

func (v *View[T]) isend(c *Comm, mode comm.Mode, dst, tag int) (Request, error) {
	b, of, err := v.outgoing()
	if err != nil {
		return Request{}, comm.WrapSend("isend view", dst, tag, err)
	}
	return begun(comm.IsendBuffer(c.inner(), mode, b, of, dst, tag))
}

// SendInit makes a persistent request to send the elements of the view.
func (v View[T]) SendInit(c *Comm, dst, tag int) (Request, error) {
	b, of, err := v.outgoing()
	if err != nil {
		return Request{}, comm.WrapSend("send init view", dst, tag, err)
	}
	return begun(comm.SendInit(c.inner(), comm.Standard, b, of, dst, tag))
}

// Recv receives a message into the elements of the view, no two of which are the same, as
// the function Recv does into a slice. A shorter message fills the first of them.
func (v View[T]) Recv(c *Comm, src, tag int) (Status, error) {
	b, of, err := v.incoming()
	if err != nil {
		return Status{}, comm.WrapReceive("recv view", src, tag, err)
	}
	return received(comm.RecvBuffer(c.inner(), b, of, src, tag))
}

// Irecv begins to receive into the view and does not block. Its elements
// may be neither read nor written to until the request is complete.
func (v View[T]) Irecv(c *Comm, src, tag int) (Request, error) {
	b, of, err := v.incoming()
	if err != nil {
		return Request{}, comm.WrapReceive("irecv view", src, tag, err)
	}
	return begun(comm.IrecvBuffer(c.inner(), b, of, src, tag))
}

// RecvInit makes a persistent request to receive into the view.
func (v View[T]) RecvInit(c *Comm, src, tag int) (Request, error) {
	b, of, err := v.incoming()
	if err != nil {
		return Request{}, comm.WrapReceive("recv init view", src, tag, err)
	}
	return begun(comm.RecvInit(c.inner(), b, of, src, tag))
}

// Mrecv receives a message that Mprobe has set aside into the view, as the function Mrecv.
func (v View[T]) Mrecv(m *Message) (Status, error) {
	b, of, err := v.incoming()
	if err != nil {
		return Status{}, comm.Wrap("mrecv view", err)
	}
	return received(comm.Mrecv((*comm.Message)(m), b, of))
}

// Sendrecv sends the elements of the view and receives into another at the same time, as
// the function Sendrecv. The views may be of one slice if they have no element in common.
func (v View[T]) Sendrecv(c *Comm, dst, sendTag int, recv View[T], src, recvTag int) (Status, error) {
	const op = "sendrecv view"
	out, outOf, err := v.outgoing()
	if err != nil {
		return Status{}, comm.WrapSend(op, dst, sendTag, err)
	}
	in, inOf, err := recv.incoming()
	if err != nil {
		return Status{}, comm.WrapReceive(op, src, recvTag, err)
	}
	return received(comm.Sendrecv(c.inner(), op, comm.Half{Buf: out, Of: outOf, Peer: dst, Tag: sendTag},
		comm.Half{Buf: in, Of: inOf, Peer: src, Tag: recvTag}))
}
