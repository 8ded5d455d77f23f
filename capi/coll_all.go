package capi

import (
	"github.com/gopvas/gopvas/coll"
	"github.com/gopvas/gopvas/comm"
)

// allgather is Allgather and Allgatherv.
func (p *Process) allgather(at Address, count int, t Type, to blockList, c Comm) *collective {
	on, err := p.comm(c)
	if err != nil {
		return failed(err)
	}
	if err := notInPlace(to.at); err != nil {
		return failed(err)
	}
	if on.inter() {
		return p.allgatherAcross(at, count, t, to, on)
	}
	recv, err := to.area(p, on.c.Size())
	if err != nil {
		return failed(err)
	}
	k := &collective{on: on, name: "allgather", args: coll.Args{Kind: coll.Allgather, Irregular: to.listed, InPlace: at == IN_PLACE}}
	var send area
	if at != IN_PLACE {
		if send, err = p.ownArea(at, count, t); err != nil {
			return failed(err)
		}
	}
	k.args.Send, k.args.Recv, k.args.Hooks = send.Buffer, recv.Buffer, hooks(&send, &recv, at == IN_PLACE)
	return k
}

func (p *Process) allgatherAcross(at Address, count int, t Type, to blockList, on *communicator) *collective {
	if err := notInPlace(at); err != nil {
		return failed(err)
	}
	b, err := p.buffer(at, count, t)
	if err != nil {
		return failed(err)
	}
	in, err := to.parts(p, on.peers())
	if err != nil {
		return failed(err)
	}
	return on.across("allgather", on.each(b), in)
}

// Allgather is MPI_Allgather.
func (p *Process) Allgather(s Address, sn int, st Type, d Address, dn int, dt Type, c Comm) error {
	return p.allgather(s, sn, st, regular(d, dn, dt), c).run()
}

// Iallgather is MPI_Iallgather.
func (p *Process) Iallgather(s Address, sn int, st Type, d Address, dn int, dt Type, c Comm, r Ptr[Request]) error {
	return p.allgather(s, sn, st, regular(d, dn, dt), c).begin(p, r)
}

// Allgather_init is MPI_Allgather_init.
func (p *Process) Allgather_init(s Address, sn int, st Type, d Address, dn int, dt Type, c Comm, info Info, r Ptr[Request]) error {
	return p.allgather(s, sn, st, regular(d, dn, dt), c).prepare(p, info, r)
}

// Allgatherv is MPI_Allgatherv.
func (p *Process) Allgatherv(s Address, sn int, st Type, d Address, counts, displs Ints, dt Type, c Comm) error {
	return p.allgather(s, sn, st, listed(d, counts, displs, dt), c).run()
}

// Iallgatherv is MPI_Iallgatherv.
func (p *Process) Iallgatherv(s Address, sn int, st Type, d Address, counts, displs Ints, dt Type, c Comm, r Ptr[Request]) error {
	return p.allgather(s, sn, st, listed(d, counts, displs, dt), c).begin(p, r)
}

// Allgatherv_init is MPI_Allgatherv_init.
func (p *Process) Allgatherv_init(s Address, sn int, st Type, d Address, counts, displs Ints, dt Type, c Comm, info Info, r Ptr[Request]) error {
	return p.allgather(s, sn, st, listed(d, counts, displs, dt), c).prepare(p, info, r)
}

// alltoall is Alltoall and Alltoallv.
func (p *Process) alltoall(from, to blockList, c Comm) *collective {
	return p.exchange(from.at, to.at, c, to.listed, func(n int) (send, recv area, err error) {
		if from.at != IN_PLACE {
			if send, err = from.area(p, n); err != nil {
				return send, recv, err
			}
		}
		recv, err = to.area(p, n)
		return send, recv, err
	}, func(n int) (out, in []comm.Buffer, err error) {
		if out, err = from.parts(p, n); err != nil {
			return nil, nil, err
		}
		in, err = to.parts(p, n)
		return out, in, err
	})
}

// exchange is all kinds of Alltoall. areas and parts return the memory for so many peers.
func (p *Process) exchange(from, to Address, c Comm, irregular bool, areas func(n int) (send, recv area, err error),
	parts func(n int) (out, in []comm.Buffer, err error)) *collective {
	on, err := p.comm(c)
	if err != nil {
		return failed(err)
	}
	if err := notInPlace(to); err != nil {
		return failed(err)
	}
	if on.inter() {
		if err := notInPlace(from); err != nil {
			return failed(err)
		}
		out, in, err := parts(on.peers())
		if err != nil {
			return failed(err)
		}
		return on.across("alltoall", out, in)
	}
	send, recv, err := areas(on.c.Size())
	if err != nil {
		return failed(err)
	}
	k := &collective{on: on, name: "alltoall", args: coll.Args{Kind: coll.Alltoall, Irregular: irregular, InPlace: from == IN_PLACE}}
	k.args.Send, k.args.Recv, k.args.Hooks = send.Buffer, recv.Buffer, hooks(&send, &recv, from == IN_PLACE)
	return k
}

// Alltoall is MPI_Alltoall.
func (p *Process) Alltoall(s Address, sn int, st Type, d Address, dn int, dt Type, c Comm) error {
	return p.alltoall(regular(s, sn, st), regular(d, dn, dt), c).run()
}

// Ialltoall is MPI_Ialltoall.
func (p *Process) Ialltoall(s Address, sn int, st Type, d Address, dn int, dt Type, c Comm, r Ptr[Request]) error {
	return p.alltoall(regular(s, sn, st), regular(d, dn, dt), c).begin(p, r)
}

// Alltoall_init is MPI_Alltoall_init.
func (p *Process) Alltoall_init(s Address, sn int, st Type, d Address, dn int, dt Type, c Comm, info Info, r Ptr[Request]) error {
	return p.alltoall(regular(s, sn, st), regular(d, dn, dt), c).prepare(p, info, r)
}

// Alltoallv is MPI_Alltoallv.
func (p *Process) Alltoallv(s Address, sn, sd Ints, st Type, d Address, dn, dd Ints, dt Type, c Comm) error {
	return p.alltoall(listed(s, sn, sd, st), listed(d, dn, dd, dt), c).run()
}

// Ialltoallv is MPI_Ialltoallv.
func (p *Process) Ialltoallv(s Address, sn, sd Ints, st Type, d Address, dn, dd Ints, dt Type, c Comm, r Ptr[Request]) error {
	return p.alltoall(listed(s, sn, sd, st), listed(d, dn, dd, dt), c).begin(p, r)
}

// Alltoallv_init is MPI_Alltoallv_init.
func (p *Process) Alltoallv_init(s Address, sn, sd Ints, st Type, d Address, dn, dd Ints, dt Type, c Comm, info Info, r Ptr[Request]) error {
	return p.alltoall(listed(s, sn, sd, st), listed(d, dn, dd, dt), c).prepare(p, info, r)
}

// alltoallw is Alltoallw.
func (p *Process) alltoallw(s Address, sn, sd Ints, st Handles[Type], d Address, dn, dd Ints, dt Handles[Type], c Comm) *collective {
	return p.exchange(s, d, c, true, func(n int) (send, recv area, err error) {
		if s != IN_PLACE {
			if send, err = p.typedArea(s, sn, sd, st, n); err != nil {
				return send, recv, err
			}
		}
		recv, err = p.typedArea(d, dn, dd, dt, n)
		return send, recv, err
	}, func(n int) (out, in []comm.Buffer, err error) {
		if out, err = p.typedParts(s, sn, sd, st, n); err != nil {
			return nil, nil, err
		}
		in, err = p.typedParts(d, dn, dd, dt, n)
		return out, in, err
	})
}

// Alltoallw is MPI_Alltoallw.
func (p *Process) Alltoallw(s Address, sn, sd Ints, st Handles[Type], d Address, dn, dd Ints, dt Handles[Type], c Comm) error {
	return p.alltoallw(s, sn, sd, st, d, dn, dd, dt, c).run()
}

// Ialltoallw is MPI_Ialltoallw.
func (p *Process) Ialltoallw(s Address, sn, sd Ints, st Handles[Type], d Address, dn, dd Ints, dt Handles[Type], c Comm, r Ptr[Request]) error {
	return p.alltoallw(s, sn, sd, st, d, dn, dd, dt, c).begin(p, r)
}

// Alltoallw_init is MPI_Alltoallw_init.
func (p *Process) Alltoallw_init(s Address, sn, sd Ints, st Handles[Type], d Address, dn, dd Ints, dt Handles[Type], c Comm, info Info, r Ptr[Request]) error {
	return p.alltoallw(s, sn, sd, st, d, dn, dd, dt, c).prepare(p, info, r)
}
