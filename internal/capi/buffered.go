package capi

import "github.com/gopvas/gopvas/internal/msg/comm"

// attachedBuffer is the memory that the program has attached for sends in buffered mode. It
// is not used: each message is copied to the heap. But what would not fit into it is refused,
// as the program expects.
type attachedBuffer struct {
	there bool
	at    Address
	size  int
}

// attach notes a buffer of a communicator, or if of is nil of the process or a session.
func (b *attachedBuffer) attach(of *comm.Comm, at Address, size int) error {
	switch {
	case b.there:
		return fail(ERR_BUFFER, "a buffer is attached already: detach it before")
	case size < 0:
		return fail(ERR_ARG, "the size %d is negative", size)
	}
	*b = attachedBuffer{true, at, size}
	if of != nil {
		comm.BufferApart(of, true)
	}
	return nil
}

// detach waits until all messages in the buffer are with their receivers.
func (p *Process) detach(b *attachedBuffer, of *comm.Comm, at AddressRef, size Ref) error {
	if !b.there {
		return fail(ERR_BUFFER, "no buffer is attached")
	}
	if err := comm.FlushBufferOf(p.world.c, of); err != nil {
		return err
	}
	if of != nil {
		comm.BufferApart(of, false)
	}
	at.Set(b.at)
	if b.at == BUFFER_AUTOMATIC {
		b.size = 0
	}
	size.Set(b.size)
	*b = attachedBuffer{}
	return nil
}

// iflush begins to wait until all messages in the buffer of a communicator, or if of is nil of the process, are with
// their receivers.
func (p *Process) iflush(on *communicator, of *comm.Comm, r Ptr[Request]) error {
	flush, err := comm.IflushBufferOf(on.c, of)
	return p.begin(flush, err, on, r)
}

// buffering returns an error unless there is a buffer for the message. One to MPI_PROC_NULL needs none.
func (p *Process) buffering(m *message) error {
	b, bytes := &p.attached, m.buf.Len()
	if m.on.attached.there {
		b = &m.on.attached
	}
	switch {
	case m.peer == comm.ProcNull:
		return nil
	case p.sessionBuffers.Load() > 0 || b.at == BUFFER_AUTOMATIC:
		return nil
	case !b.there:
		return fail(ERR_BUFFER, "no buffer is attached: call MPI_Buffer_attach before")
	}
	messages, used := comm.BufferedMessages(m.on.c)
	if need := used + bytes + (messages+1)*BSEND_OVERHEAD; need > b.size {
		return fail(ERR_BUFFER, "the attached buffer of %d bytes is full: with this message %d are needed", b.size,
			need)
	}
	return nil
}

// bsend checks the arguments of a send in buffered mode. The bytes are those that lie there
// now, if the message is in one piece.
func (p *Process) bsend(buf Address, count int, t Type, dest, tag int, c Comm) (m message, err error) {
	if m, err = p.outgoing(buf, count, t, dest, tag, c); err == nil {
		err = p.buffering(&m)
	}
	return m, err
}

// bytes is a message in one piece.
func (m *message) bytes() []byte {
	if m.buf.Layout != nil {
		data := make([]byte, m.buf.Len())
		m.buf.Pack(data, 0)
		return data
	}
	return m.buf.Bytes
}

// Bsend is MPI_Bsend.
func (p *Process) Bsend(buf Address, count int, t Type, dest, tag int, c Comm) error {
	m, err := p.bsend(buf, count, t, dest, tag, c)
	if err != nil {
		return err
	}
	return comm.Bsend(m.on.c, m.bytes(), m.of, m.peer, m.tag)
}

// Ibsend is MPI_Ibsend.
func (p *Process) Ibsend(buf Address, count int, t Type, dest, tag int, c Comm, r Ptr[Request]) error {
	m, err := p.bsend(buf, count, t, dest, tag, c)
	if err != nil {
		return err
	}
	send, err := comm.Ibsend(m.on.c, m.bytes(), m.of, m.peer, m.tag)
	return p.begin(send, err, m.on, r)
}

// Bsend_init is MPI_Bsend_init.
func (p *Process) Bsend_init(buf Address, count int, t Type, dest, tag int, c Comm, r Ptr[Request]) error {
	m, err := p.outgoing(buf, count, t, dest, tag, c)
	if err != nil {
		return err
	}
	send, err := comm.BsendInit(m.on.c, func() ([]byte, error) {
		if err := p.buffering(&m); err != nil {
			return nil, err
		}
		return m.bytes(), nil
	}, m.of, m.peer, m.tag)
	return p.prepare(send, err, m.on, r)
}
