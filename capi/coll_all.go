package capi

import (
	"github.com/gopvas/gopvas/coll"
	"github.com/gopvas/gopvas/comm"
)

// allgather is Allgather and Allgatherv.
func (p *Process) allgather(k *collective, at Address, count int, t Type, to blockList, c Comm) error {
	on, err := p.comm(c)
	if err != nil {
		return err
	}
	if err := notInPlace(to.at); err != nil {
		return err
	}
	if on.inter() {
		return p.allgatherAcross(k, at, count, t, to, on)
	}
	a := k.is(coll.Allgather, on)
	a.Irregular, a.InPlace = to.irregular(), at == IN_PLACE
	recv, err := to.memory(p, k, &a.Recv, on.c.Size())
	if err != nil {
		return err
	}
	var send []comm.Buffer
	if !a.InPlace {
		if send, err = p.ownMemory(&a.Send, at, count, t); err != nil {
			return err
		}
	}
	k.staged(send, recv, a.InPlace)
	return nil
}

func (p *Process) allgatherAcross(k *collective, at Address, count int, t Type, to blockList, on *communicator) error {
	if err := notInPlace(at); err != nil {
		return err
	}
	b, err := p.buffer(at, count, t)
	if err != nil {
		return err
	}
	in, err := to.parts(p, on.peers())
	if err != nil {
		return err
	}
	return k.across(on, "allgather", on.each(b), in)
}

// Allgather is MPI_Allgather.
func (p *Process) Allgather(s Address, sn int, st Type, d Address, dn int, dt Type, c Comm) error {
	var k collective
	return k.run(p.allgather(&k, s, sn, st, regular(d, dn, dt), c))
}

// Iallgather is MPI_Iallgather.
func (p *Process) Iallgather(s Address, sn int, st Type, d Address, dn int, dt Type, c Comm, r Ptr[Request]) error {
	var k collective
	return k.begin(p, r, p.allgather(&k, s, sn, st, regular(d, dn, dt), c))
}

// Allgather_init is MPI_Allgather_init.
func (p *Process) Allgather_init(s Address, sn int, st Type, d Address, dn int, dt Type, c Comm, info Info, r Ptr[Request]) error {
	var k collective
	return k.prepare(p, info, r, p.allgather(&k, s, sn, st, regular(d, dn, dt), c))
}

// Allgatherv is MPI_Allgatherv.
func (p *Process) Allgatherv(s Address, sn int, st Type, d Address, counts, displs Ints, dt Type, c Comm) error {
	var k collective
	return k.run(p.allgather(&k, s, sn, st, listed(d, counts, displs, dt), c))
}

// Iallgatherv is MPI_Iallgatherv.
func (p *Process) Iallgatherv(s Address, sn int, st Type, d Address, counts, displs Ints, dt Type, c Comm, r Ptr[Request]) error {
	var k collective
	return k.begin(p, r, p.allgather(&k, s, sn, st, listed(d, counts, displs, dt), c))
}

// Allgatherv_init is MPI_Allgatherv_init.
func (p *Process) Allgatherv_init(s Address, sn int, st Type, d Address, counts, displs Ints, dt Type, c Comm, info Info, r Ptr[Request]) error {
	var k collective
	return k.prepare(p, info, r, p.allgather(&k, s, sn, st, listed(d, counts, displs, dt), c))
}

// alltoall is all kinds of Alltoall.
func (p *Process) alltoall(k *collective, from, to blockList, c Comm) error {
	on, err := p.comm(c)
	if err != nil {
		return err
	}
	if err := notInPlace(to.at); err != nil {
		return err
	}
	if on.inter() {
		return p.alltoallAcross(k, from, to, on)
	}
	a := k.is(coll.Alltoall, on)
	a.Irregular, a.InPlace = to.irregular(), from.at == IN_PLACE
	var send []comm.Buffer
	if !a.InPlace {
		if send, err = from.memory(p, k, &a.Send, on.c.Size()); err != nil {
			return err
		}
	}
	recv, err := to.memory(p, k, &a.Recv, on.c.Size())
	if err != nil {
		return err
	}
	k.staged(send, recv, a.InPlace)
	return nil
}

func (p *Process) alltoallAcross(k *collective, from, to blockList, on *communicator) error {
	if err := notInPlace(from.at); err != nil {
		return err
	}
	out, err := from.parts(p, on.peers())
	if err != nil {
		return err
	}
	in, err := to.parts(p, on.peers())
	if err != nil {
		return err
	}
	return k.across(on, "alltoall", out, in)
}

// Alltoall is MPI_Alltoall.
func (p *Process) Alltoall(s Address, sn int, st Type, d Address, dn int, dt Type, c Comm) error {
	var k collective
	return k.run(p.alltoall(&k, regular(s, sn, st), regular(d, dn, dt), c))
}

// Ialltoall is MPI_Ialltoall.
func (p *Process) Ialltoall(s Address, sn int, st Type, d Address, dn int, dt Type, c Comm, r Ptr[Request]) error {
	var k collective
	return k.begin(p, r, p.alltoall(&k, regular(s, sn, st), regular(d, dn, dt), c))
}

// Alltoall_init is MPI_Alltoall_init.
func (p *Process) Alltoall_init(s Address, sn int, st Type, d Address, dn int, dt Type, c Comm, info Info, r Ptr[Request]) error {
	var k collective
	return k.prepare(p, info, r, p.alltoall(&k, regular(s, sn, st), regular(d, dn, dt), c))
}

// Alltoallv is MPI_Alltoallv.
func (p *Process) Alltoallv(s Address, sn, sd Ints, st Type, d Address, dn, dd Ints, dt Type, c Comm) error {
	var k collective
	return k.run(p.alltoall(&k, listed(s, sn, sd, st), listed(d, dn, dd, dt), c))
}

// Ialltoallv is MPI_Ialltoallv.
func (p *Process) Ialltoallv(s Address, sn, sd Ints, st Type, d Address, dn, dd Ints, dt Type, c Comm, r Ptr[Request]) error {
	var k collective
	return k.begin(p, r, p.alltoall(&k, listed(s, sn, sd, st), listed(d, dn, dd, dt), c))
}

// Alltoallv_init is MPI_Alltoallv_init.
func (p *Process) Alltoallv_init(s Address, sn, sd Ints, st Type, d Address, dn, dd Ints, dt Type, c Comm, info Info, r Ptr[Request]) error {
	var k collective
	return k.prepare(p, info, r, p.alltoall(&k, listed(s, sn, sd, st), listed(d, dn, dd, dt), c))
}

// Alltoallw is MPI_Alltoallw.
func (p *Process) Alltoallw(s Address, sn, sd Ints, st Handles[Type], d Address, dn, dd Ints, dt Handles[Type], c Comm) error {
	var k collective
	return k.run(p.alltoall(&k, typed(s, sn, sd, st), typed(d, dn, dd, dt), c))
}

// Ialltoallw is MPI_Ialltoallw.
func (p *Process) Ialltoallw(s Address, sn, sd Ints, st Handles[Type], d Address, dn, dd Ints, dt Handles[Type], c Comm, r Ptr[Request]) error {
	var k collective
	return k.begin(p, r, p.alltoall(&k, typed(s, sn, sd, st), typed(d, dn, dd, dt), c))
}

// Alltoallw_init is MPI_Alltoallw_init.
func (p *Process) Alltoallw_init(s Address, sn, sd Ints, st Handles[Type], d Address, dn, dd Ints, dt Handles[Type], c Comm, info Info, r Ptr[Request]) error {
	var k collective
	return k.prepare(p, info, r, p.alltoall(&k, typed(s, sn, sd, st), typed(d, dn, dd, dt), c))
}
