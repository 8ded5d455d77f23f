package capi

import "github.com/gopvas/gopvas/internal/comm"

// message are the arguments of a send or a receive, as the packages below want them.
type message struct {
	on   *communicator
	buf  comm.Buffer
	of   comm.Element // counted in bytes
	peer int
	tag  int
}

// void tells whether a message has nothing whose datatype could matter.
func void(peer, count int, t Type) bool {
	return peer == PROC_NULL || count == 0 && t == DATATYPE_NULL
}

// outgoing checks the arguments of a send.
func (p *Process) outgoing(buf Address, count int, t Type, dest, tag int, c Comm) (m message, err error) {
	m.of = 1
	if m.on, err = p.comm(c); err != nil {
		return m, err
	}
	if m.tag, err = sendTag(tag); err != nil {
		return m, err
	}
	if m.peer, err = peerIn(dest); err == nil && !void(dest, count, t) {
		err = p.locate(&m, buf, count, t)
	}
	return m, err
}

// incoming checks the arguments of a receive.
func (p *Process) incoming(buf Address, count int, t Type, source, tag int, c Comm) (m message, err error) {
	m.of = 1
	if m.on, err = p.comm(c); err != nil {
		return m, err
	}
	if m.tag, err = recvTag(tag); err != nil {
		return m, err
	}
	if m.peer, err = sourceIn(source); err == nil && !void(source, count, t) {
		err = p.locate(&m, buf, count, t)
	}
	return m, err
}

// locate says where a message lies, and what it consists of.
func (p *Process) locate(m *message, at Address, count int, t Type) error {
	o, err := p.messageType(t)
	if err != nil {
		return err
	}
	m.of = o.element
	m.buf, err = o.memory(at, count)
	return err
}

// readEnds reads the ends of a long message. If its memory is none the rank that sends it faults here, and not a peer
// that copies it.
func readEnds(b []byte) {
	if len(b) > 4<<10 { // else this rank copies it
		ends(b)
	}
}

//go:noinline
func ends(b []byte) byte { return b[0] ^ b[len(b)-1] }

// send is the blocking sends of a mode.
func (p *Process) send(mode comm.Mode, buf Address, count int, t Type, dest, tag int, c Comm) error {
	m, err := p.outgoing(buf, count, t, dest, tag, c)
	switch {
	case err != nil:
		return err
	case m.buf.Layout == nil:
		readEnds(m.buf.Bytes)
		return comm.Send(m.on.c, mode, m.buf.Bytes, m.of, m.peer, m.tag)
	}
	return comm.SendBuffer(m.on.c, mode, m.buf, m.of, m.peer, m.tag)
}

// isend is the nonblocking ones.
func (p *Process) isend(mode comm.Mode, buf Address, count int, t Type, dest, tag int, c Comm, out Ptr[Request]) error {
	m, err := p.outgoing(buf, count, t, dest, tag, c)
	if err != nil {
		return err
	}
	var r comm.Request
	if m.buf.Layout == nil {
		readEnds(m.buf.Bytes)
		r, err = comm.Isend(m.on.c, mode, m.buf.Bytes, m.of, m.peer, m.tag)
	} else {
		r, err = comm.IsendBuffer(m.on.c, mode, m.buf, m.of, m.peer, m.tag)
	}
	return p.begin(r, err, m.on, out)
}

// sendInit is the persistent ones.
func (p *Process) sendInit(mode comm.Mode, buf Address, count int, t Type, dest, tag int, c Comm,
	out Ptr[Request]) error {
	m, err := p.outgoing(buf, count, t, dest, tag, c)
	if err != nil {
		return err
	}
	r, err := comm.SendInit(m.on.c, mode, m.buf, m.of, m.peer, m.tag)
	return p.prepare(r, err, m.on, out)
}

// Recv is MPI_Recv.
func (p *Process) Recv(buf Address, count int, t Type, source, tag int, c Comm, status Status) error {
	var st comm.Status
	m, err := p.incoming(buf, count, t, source, tag, c)
	if err != nil {
		return err
	}
	if m.buf.Layout == nil {
		err = comm.Recv(m.on.c, &st, m.buf.Bytes, m.of, m.peer, m.tag)
	} else {
		st, err = comm.RecvBuffer(m.on.c, m.buf, m.of, m.peer, m.tag)
	}
	status.set(&st)
	return err
}

// Irecv is MPI_Irecv.
func (p *Process) Irecv(buf Address, count int, t Type, source, tag int, c Comm, out Ptr[Request]) error {
	m, err := p.incoming(buf, count, t, source, tag, c)
	if err != nil {
		return err
	}
	var r comm.Request
	if m.buf.Layout == nil {
		r, err = comm.Irecv(m.on.c, m.buf.Bytes, m.of, m.peer, m.tag)
	} else {
		r, err = comm.IrecvBuffer(m.on.c, m.buf, m.of, m.peer, m.tag)
	}
	return p.begin(r, err, m.on, out)
}

// Recv_init is MPI_Recv_init.
func (p *Process) Recv_init(buf Address, count int, t Type, source, tag int, c Comm, out Ptr[Request]) error {
	m, err := p.incoming(buf, count, t, source, tag, c)
	if err != nil {
		return err
	}
	r, err := comm.RecvInit(m.on.c, m.buf, m.of, m.peer, m.tag)
	return p.prepare(r, err, m.on, out)
}
