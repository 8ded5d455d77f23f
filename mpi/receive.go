package mpi

import (
	"math"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/pml"
)

// incoming returns the bytes of buf, the size of an element, and the job's rank that
// src of c is.
func incoming[T any](c *Comm, buf []T, src int) (b []byte, size, peer int, err error) {
	b, size, err = view(buf)
	if err == nil && c.ranks != nil {
		src, err = c.from(src)
	}
	return b, size, src, err
}

// Recv receives a message from rank src, or AnySource, with the given tag, or AnyTag,
// into buf, and blocks until it is there. A shorter message fills the first elements.
// Of a longer one the rest is lost, and the error wraps a *TruncateError with both
// lengths; the status is valid then.
//
// The error wraps a *LostError if src has gone and has sent no such message; or if
// src is AnySource, no message has come, and some rank has gone without Finalize or
// all other ranks have gone.
//
// MPI 4.1 section 3.2.4 (MPI_Recv).
func Recv[T any](c *Comm, buf []T, src, tag int) (st Status, err error) {
	b, size, peer, err := incoming(c, buf, src)
	if err == nil {
		var s pml.Status
		s, err = c.engine.Recv(c.context, peer, tag, b)
		// Field by field: as a whole, a Status of five words goes through memory twice.
		st.Source, st.Tag, st.Cancelled, st.bytes = s.Source, s.Tag, s.Cancelled, s.Bytes
		st.Count = count(s.Bytes, size)
		if c.ranks != nil {
			st.Source = c.group.source(s.Source)
		}
	}
	if err != nil {
		err = receiveError("recv", src, tag, err)
	}
	return st, err
}

// Irecv begins to receive into buf and does not block. buf is lent until the request
// is complete: it may be neither read nor written to.
//
// MPI 4.1 section 3.7.2 (MPI_Irecv).
func Irecv[T any](c *Comm, buf []T, src, tag int) (Request, error) {
	var r pml.Request
	b, size, peer, err := incoming(c, buf, src)
	if err == nil {
		r, err = c.engine.Irecv(c.context, peer, tag, b)
		r.Unit = c.unit(size)
	}
	if err != nil {
		err = receiveError("irecv", src, tag, err)
	}
	return Request{r}, err
}

// RecvInit makes a persistent request to receive into buf. It receives nothing:
// Request.Start does, any number of times. Free the request at the end.
//
// MPI 4.1 section 3.9 (MPI_Recv_init).
func RecvInit[T any](c *Comm, buf []T, src, tag int) (Request, error) {
	var r pml.Request
	b, size, peer, err := incoming(c, buf, src)
	if err == nil {
		r, err = c.engine.RecvInit(c.context, peer, tag, btl.Buffer{Bytes: b})
		r.Unit = c.unit(size)
	}
	return Request{r}, receiveError("recv init", src, tag, err)
}

// RecvAlloc receives a message of unknown length: it blocks until one is there,
// allocates as many elements as it has, and receives it. The error wraps a
// *CountError if the message is no whole number of elements; then it is lost.
//
// MPI 4.1 section 3.8.2 (the use of MPI_Mprobe).
func RecvAlloc[T any](c *Comm, src, tag int) ([]T, Status, error) {
	const op = "recv alloc"
	size, err := elementSize[T]()
	if err != nil {
		return nil, Status{}, receiveError(op, src, tag, err)
	}
	peer, err := c.from(src)
	if err != nil {
		return nil, Status{}, receiveError(op, src, tag, err)
	}
	m, st, err := c.engine.Mprobe(c.context, peer, tag)
	if err != nil {
		return nil, Status{}, receiveError(op, src, tag, err)
	}
	n := count(st.Bytes, size)
	if n == Undefined || st.Bytes > math.MaxInt {
		_, _ = c.engine.Mrecv(&m, btl.Buffer{}) // lets the sender go on; truncated on purpose
		return nil, c.status(st, size), receiveError(op, src, tag, &CountError{Bytes: st.Bytes, Element: size})
	}
	buf := make([]T, n)
	st, err = c.engine.Mrecv(&m, btl.Buffer{Bytes: asBytes(buf, size)})
	return buf, c.status(st, size), receiveError(op, src, tag, err)
}

// Sendrecv sends one buffer and receives into another at the same time, so that
// ranks which all do so do not wait for one another in a circle. It blocks until both
// are done. The status is of the receive. If only the sending fails, the receive is
// cancelled if it can be, else waited for.
//
// MPI 4.1 section 3.11 (MPI_Sendrecv).
func Sendrecv[S, R any](c *Comm, send []S, dst, sendTag int, recv []R, src, recvTag int) (Status, error) {
	const op = "sendrecv"
	out, _, err := view(send)
	if err != nil {
		return Status{}, sendError(op, dst, sendTag, err)
	}
	in, size, err := view(recv)
	if err != nil {
		return Status{}, receiveError(op, src, recvTag, err)
	}
	return c.sendrecv(op, out, dst, sendTag, in, size, src, recvTag)
}

// SendrecvReplace is Sendrecv with one buffer: its elements are sent, and replaced by
// those received. It takes a copy of the buffer on the heap.
//
// MPI 4.1 section 3.11 (MPI_Sendrecv_replace).
func SendrecvReplace[T any](c *Comm, buf []T, dst, sendTag, src, recvTag int) (Status, error) {
	const op = "sendrecv replace"
	in, size, err := view(buf)
	if err != nil {
		return Status{}, sendError(op, dst, sendTag, err)
	}
	out := append([]byte(nil), in...)
	return c.sendrecv(op, out, dst, sendTag, in, size, src, recvTag)
}

func (c *Comm) sendrecv(op string, out []byte, dst, sendTag int, in []byte, size, src, recvTag int) (Status, error) {
	e := c.engine
	to, err := c.to(dst)
	if err != nil {
		return Status{}, sendError(op, dst, sendTag, err)
	}
	from, err := c.from(src)
	if err != nil {
		return Status{}, receiveError(op, src, recvTag, err)
	}
	r, err := e.Irecv(c.context, from, recvTag, in)
	if err != nil {
		return Status{}, receiveError(op, src, recvTag, err)
	}
	sendErr := e.Send(c.context, to, sendTag, out, pml.Standard)
	if sendErr != nil {
		_ = e.Cancel(&r) // of a receive: no error
	}
	st, err := e.Wait(&r)
	if sendErr != nil {
		return c.status(st, size), sendError(op, dst, sendTag, sendErr)
	}
	return c.status(st, size), receiveError(op, src, recvTag, err)
}
