package capi

import "github.com/gopvas/gopvas/internal/comm"

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
