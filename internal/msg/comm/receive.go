package comm

import (
	"errors"
	"math"

	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Recv receives a message from rank src, or AnySource, with the given tag, or AnyTag,
// into buf, and blocks until it is there. The status is written to *st: to return its five
// words through two functions costs more than the rest of them.
//
// MPI 4.1 section 3.2.4 (MPI_Recv).
func Recv(c *Comm, st *Status, buf []byte, of Element, src, tag int) (err error) {
	peer, ok := c.plainTo(src)
	if !ok {
		*st, err = RecvBuffer(c, Bytes(buf), of, src, tag)
		return err
	}
	s, err := c.engine.Recv(c.context, peer, tag, buf)
	if s.Source == peer {
		s.Source = src
	}
	st.set(unit{size: of.Size()}, s)
	if err != nil {
		err = WrapReceive("recv", src, tag, inElements(err, of.Size()))
	}
	return err
}

// Irecv begins to receive into buf and does not block. buf is in use until the request
// is complete: it may be neither read nor written to.
//
// MPI 4.1 section 3.7.2 (MPI_Irecv).
func Irecv(c *Comm, buf []byte, of Element, src, tag int) (Request, error) {
	peer, ok := c.plainTo(src)
	if !ok {
		return IrecvBuffer(c, Bytes(buf), of, src, tag)
	}
	r, err := c.engine.Irecv(c.context, peer, tag, buf)
	if err != nil {
		err = WrapReceive("irecv", src, tag, err)
	}
	r.Unit = c.unit(of.Size())
	return Request{r}, err
}

// RecvBuffer is Recv into a buffer that may have a layout.
func RecvBuffer(c *Comm, buf Buffer, of Element, src, tag int) (Status, error) {
	peer, err := c.from(src)
	if err == nil {
		err = c.begins(&buf, of, peer)
	}
	if err != nil {
		return Status{}, WrapReceive("recv", src, tag, err)
	}
	var st pml.Status
	if isView(c) {
		st, err = pml.RecvUnder(c.bound.ctx, c.engine, c.context, peer, tag, buf)
	} else {
		st, err = c.engine.RecvBuffer(c.context, peer, tag, buf)
	}
	return c.status(st, of.Size()), WrapReceive("recv", src, tag, inElements(err, of.Size()))
}

// IrecvBuffer is Irecv into a buffer that may have a layout. The layout itself is the
// caller's again at once; what it refers to is in use.
func IrecvBuffer(c *Comm, buf Buffer, of Element, src, tag int) (Request, error) {
	var r pml.Request
	peer, err := c.from(src)
	if err == nil {
		err = c.begins(&buf, of, peer)
	}
	if err == nil {
		r, err = c.engine.IrecvBuffer(c.context, peer, tag, buf)
		r.Unit = c.unit(of.Size())
	}
	return Request{r}, WrapReceive("irecv", src, tag, err)
}

// RecvInit makes a persistent request to receive into buf. It receives nothing:
// Request.Start does, any number of times.
//
// MPI 4.1 section 3.9 (MPI_Recv_init).
func RecvInit(c *Comm, buf Buffer, of Element, src, tag int) (Request, error) {
	var r pml.Request
	peer, err := c.from(src)
	if err == nil {
		err = c.expect(&buf, of)
	}
	if err == nil {
		r, err = c.engine.RecvInit(c.context, peer, tag, buf)
		r.Unit = c.unit(of.Size())
	}
	return Request{r}, WrapReceive("recv init", src, tag, err)
}

// RecvAlloc receives a message of unknown length: it blocks until one is there, and has
// alloc make room for so many elements. The error wraps a *CountError if the message is no
// whole number of elements; then it is lost.
//
// MPI 4.1 section 3.8.2 (the use of MPI_Mprobe).
func RecvAlloc(c *Comm, of Element, src, tag int, alloc func(elements int) []byte) (Status, error) {
	const op = "recv alloc"
	peer, err := c.from(src)
	if err != nil {
		return Status{}, WrapReceive(op, src, tag, err)
	}
	m, st, err := mprobe(c, peer, tag)
	if err != nil {
		return Status{}, WrapReceive(op, src, tag, err)
	}
	size := of.Size()
	n := count(st.Bytes, size)
	if n == Undefined || st.Bytes > math.MaxInt {
		_, _ = c.engine.Mrecv(&m, Buffer{}) // lets the sender go on; truncated on purpose
		return c.status(st, size), WrapReceive(op, src, tag, &fault.CountError{Bytes: st.Bytes, Element: size})
	}
	buf := Bytes(alloc(n))
	c.say(&buf, of)
	st, err = c.engine.Mrecv(&m, buf)
	return c.status(st, size), WrapReceive(op, src, tag, err)
}

// Half is one of the two messages of Sendrecv.
type Half struct {
	Buf       Buffer
	Of        Element
	Peer, Tag int
}

// Sendrecv sends out and receives into in at the same time. op names the call in errors. The error wraps
// ErrOverlap if the two have memory in common.
//
// MPI 4.1 section 3.11 (MPI_Sendrecv).
func Sendrecv(c *Comm, op string, out, in Half) (Status, error) {
	to, err := c.to(out.Peer)
	if err != nil {
		return Status{}, WrapSend(op, out.Peer, out.Tag, err)
	}
	from, err := c.from(in.Peer)
	if err != nil {
		return Status{}, WrapReceive(op, in.Peer, in.Tag, err)
	}
	if to != pml.ProcNull && from != pml.ProcNull {
		if err := Disjoint(op, &out.Buf, &in.Buf); err != nil {
			return Status{}, err
		}
	}
	c.say(&out.Buf, out.Of)
	if err := c.begins(&in.Buf, in.Of, from); err != nil {
		return Status{}, WrapReceive(op, in.Peer, in.Tag, err)
	}
	e, size := c.engine, in.Of.Size()
	r, err := e.IrecvBuffer(c.context, from, in.Tag, in.Buf)
	if err != nil {
		return Status{}, WrapReceive(op, in.Peer, in.Tag, err)
	}
	sendErr := sendTo(c, to, out.Tag, out.Buf, pml.Standard)
	if sendErr != nil {
		_ = r.Cancel() // of a receive: no error
	}
	var st pml.Status
	if isView(c) {
		st, err = c.bound.finish(r, nil)
	} else {
		st, err = r.Wait()
	}
	if errors.Is(err, pml.ErrOperator) { // it has not waited
		_ = r.Cancel()
		_, _ = r.Wait()
	}
	if sendErr != nil {
		return c.status(st, size), WrapSend(op, out.Peer, out.Tag, sendErr)
	}
	return c.status(st, size), WrapReceive(op, in.Peer, in.Tag, inElements(err, size))
}
