package capi

import "github.com/gopvas/gopvas/internal/msg/comm"

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

// Sendrecv is MPI_Sendrecv.
func (p *Process) Sendrecv(sendbuf Address, sendcount int, sendtype Type, dest, sendtag int,
	recvbuf Address, recvcount int, recvtype Type, source, recvtag int, c Comm, status Status) error {
	out, in, err := p.both(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,
		recvtype, source, recvtag, c)
	if err != nil {
		return err
	}
	st, err := comm.Sendrecv(out.on.c, "sendrecv", out.half(), in.half())
	status.set(&st)
	return err
}

// half is a message as one of two.
func (m *message) half() comm.Half { return comm.Half{Buf: m.buf, Of: m.of, Peer: m.peer, Tag: m.tag} }

// both checks the arguments of a send and a receive.
func (p *Process) both(sendbuf Address, sendcount int, sendtype Type, dest, sendtag int,
	recvbuf Address, recvcount int, recvtype Type, source, recvtag int, c Comm) (out, in message, err error) {
	if out, err = p.outgoing(sendbuf, sendcount, sendtype, dest, sendtag, c); err == nil {
		in, err = p.incoming(recvbuf, recvcount, recvtype, source, recvtag, c)
	}
	return out, in, err
}

// copied makes a message one of a copy of its buffer, in one piece.
func (m *message) copied() error {
	data, err := room(m.buf.Len(), 1)
	m.buf.Pack(data, 0)
	m.buf = comm.Bytes(data)
	return err
}

// Sendrecv_replace is MPI_Sendrecv_replace.
func (p *Process) Sendrecv_replace(buf Address, count int, t Type, dest, sendtag, source, recvtag int,
	c Comm, status Status) error {
	out, in, err := p.both(buf, count, t, dest, sendtag, buf, count, t, source, recvtag, c)
	if err == nil {
		err = out.copied()
	}
	if err != nil {
		return err
	}
	st, err := comm.Sendrecv(out.on.c, "sendrecv_replace", out.half(), in.half())
	status.set(&st)
	return err
}

// isendrecv begins both halves. The request is that of the receive; the send is complete
// before it.
func (p *Process) isendrecv(out, in message, r Ptr[Request]) error {
	if err := comm.Disjoint("isendrecv", &out.buf, &in.buf); err != nil {
		return err
	}
	recv, err := comm.IrecvBuffer(in.on.c, in.buf, in.of, in.peer, in.tag)
	if err != nil {
		return err
	}
	send, err := comm.IsendBuffer(out.on.c, comm.Standard, out.buf, out.of, out.peer, out.tag)
	if err != nil {
		_ = recv.Cancel()
		_ = comm.Leave(&recv)
		return err
	}
	both, err := comm.Join(in.on.c, recv, send)
	return p.begin(both, err, in.on, r)
}

// Isendrecv is MPI_Isendrecv.
func (p *Process) Isendrecv(sendbuf Address, sendcount int, sendtype Type, dest, sendtag int,
	recvbuf Address, recvcount int, recvtype Type, source, recvtag int, c Comm, r Ptr[Request]) error {
	out, in, err := p.both(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,
		recvtype, source, recvtag, c)
	if err != nil {
		return err
	}
	return p.isendrecv(out, in, r)
}

// Isendrecv_replace is MPI_Isendrecv_replace.
func (p *Process) Isendrecv_replace(buf Address, count int, t Type, dest, sendtag, source, recvtag int, c Comm,
	r Ptr[Request]) error {
	out, in, err := p.both(buf, count, t, dest, sendtag, buf, count, t, source, recvtag, c)
	if err == nil {
		err = out.copied()
	}
	if err != nil {
		return err
	}
	return p.isendrecv(out, in, r)
}
