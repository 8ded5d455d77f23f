package comm

import "github.com/gopvas/gopvas/internal/msg/pml"

// Message is a message that Mprobe has set aside for one Mrecv.
type Message struct {
	m    pml.Message
	comm *Comm
}

// Probe blocks until there is a message that Recv with the same arguments would receive, and
// leaves it where it is. MPI 4.1 section 3.8.1 (MPI_Probe).
func Probe(c *Comm, src, tag int) (Status, error) {
	peer, err := c.from(src)
	if err != nil {
		return Status{}, WrapReceive("probe", src, tag, err)
	}
	var st pml.Status
	if isView(c) {
		st, err = c.engine.ProbeUnder(c.bound.ctx, c.context, peer, tag)
	} else {
		st, err = c.engine.Probe(c.context, peer, tag)
	}
	return c.status(st, 1), WrapReceive("probe", src, tag, err)
}

// Iprobe is Probe that does not block: ok tells whether there is a message.
//
// MPI 4.1 section 3.8.1 (MPI_Iprobe).
func Iprobe(c *Comm, src, tag int) (st Status, ok bool, err error) {
	peer, err := c.from(src)
	if err != nil {
		return Status{}, false, WrapReceive("iprobe", src, tag, err)
	}
	s, ok, err := c.engine.Iprobe(c.context, peer, tag)
	if !ok && err == nil {
		return Status{}, false, nil
	}
	return c.status(s, 1), ok, WrapReceive("iprobe", src, tag, err)
}

// Mprobe is Probe that sets the message aside: only Mrecv with what it returns will receive
// it, and has to. MPI 4.1 section 3.8.2 (MPI_Mprobe).
func Mprobe(c *Comm, src, tag int) (Message, Status, error) {
	peer, err := c.from(src)
	if err != nil {
		return Message{}, Status{}, WrapReceive("mprobe", src, tag, err)
	}
	m, st, err := mprobe(c, peer, tag)
	return Message{m, c}, c.status(st, 1), WrapReceive("mprobe", src, tag, err)
}

func mprobe(c *Comm, peer, tag int) (pml.Message, pml.Status, error) {
	if isView(c) {
		return c.engine.MprobeUnder(c.bound.ctx, c.context, peer, tag)
	}
	return c.engine.Mprobe(c.context, peer, tag)
}

// Improbe is Mprobe that does not block: ok tells whether there is a message.
//
// MPI 4.1 section 3.8.2 (MPI_Improbe).
func Improbe(c *Comm, src, tag int) (m Message, st Status, ok bool, err error) {
	peer, err := c.from(src)
	if err != nil {
		return Message{}, Status{}, false, WrapReceive("improbe", src, tag, err)
	}
	pm, s, ok, err := c.engine.Improbe(c.context, peer, tag)
	return Message{pm, c}, c.status(s, 1), ok, WrapReceive("improbe", src, tag, err)
}

// Mrecv receives a message that Mprobe has set aside into buf, and blocks until it is
// there: it waits for the sender's bytes at most. Too long a message is truncated as
// by Recv. The error wraps ErrNoMessage if the message was received before.
//
// MPI 4.1 section 3.8.3 (MPI_Mrecv).
func Mrecv(m *Message, buf Buffer, of Element) (Status, error) {
	if m == nil || m.comm == nil {
		return Status{}, Wrap("mrecv", ErrNoMessage)
	}
	if err := m.comm.expect(&buf, of); err != nil {
		return Status{}, Wrap("mrecv", err)
	}
	st, err := m.comm.engine.Mrecv(&m.m, buf)
	return m.comm.status(st, of.Size()), Wrap("mrecv", inElements(err, of.Size()))
}

// Imrecv is Mrecv that does not block: buf is in use until the request is complete.
//
// MPI 4.1 section 3.8.3 (MPI_Imrecv).
func Imrecv(m *Message, buf Buffer, of Element) (Request, error) {
	if m == nil || m.comm == nil {
		return Request{}, Wrap("imrecv", ErrNoMessage)
	}
	if err := m.comm.expect(&buf, of); err != nil {
		return Request{}, Wrap("imrecv", err)
	}
	r, err := m.comm.engine.Imrecv(&m.m, buf)
	if err == nil {
		r.Unit = m.comm.unit(of.Size())
	}
	return Request{r}, Wrap("imrecv", err)
}
