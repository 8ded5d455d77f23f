package capi

import "github.com/gopvas/gopvas/internal/coll"

// allgather is Allgather and Allgatherv.
func (p *Process) allgather(k *collective, at Address, count int, t Type, to blockList, c Comm) error {
	on, err := k.of(p, coll.Allgather, c)
	if err != nil {
		return err
	}
	if err := notInPlace(to.at); err != nil {
		return err
	}
	if k.apart {
		return p.allgatherAcross(k, at, count, t, to, on)
	}
	a := &k.args
	a.Irregular, a.InPlace = to.irregular(), at == IN_PLACE
	if err := to.memory(p, k, &a.Recv, on.c.Size()); err != nil || a.InPlace {
		return err
	}
	return p.ownMemory(&a.Send, at, count, t)
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
	return k.across(on.each(b), in)
}

// Allgather is MPI_Allgather.
func (p *Process) Allgather(k *collective, s Address, sn int, st Type, d Address, dn int, dt Type, c Comm) error {
	return p.allgather(k, s, sn, st, regular(d, dn, dt), c)
}

// Allgatherv is MPI_Allgatherv.
func (p *Process) Allgatherv(k *collective, s Address, sn int, st Type, d Address, counts, displs Ints,
	dt Type, c Comm) error {
	return p.allgather(k, s, sn, st, listed(d, counts, displs, dt), c)
}

// alltoall is all kinds of Alltoall.
func (p *Process) alltoall(k *collective, from, to blockList, c Comm) error {
	on, err := k.of(p, coll.Alltoall, c)
	if err != nil {
		return err
	}
	if err := notInPlace(to.at); err != nil {
		return err
	}
	if k.apart {
		return p.alltoallAcross(k, from, to, on)
	}
	a := &k.args
	a.Irregular, a.InPlace = to.irregular(), from.at == IN_PLACE
	if err := to.memory(p, k, &a.Recv, on.c.Size()); err != nil || a.InPlace {
		return err
	}
	return from.memory(p, k, &a.Send, on.c.Size())
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
	return k.across(out, in)
}

// Alltoall is MPI_Alltoall.
func (p *Process) Alltoall(k *collective, s Address, sn int, st Type, d Address, dn int, dt Type, c Comm) error {
	return p.alltoall(k, regular(s, sn, st), regular(d, dn, dt), c)
}

// Alltoallv is MPI_Alltoallv.
func (p *Process) Alltoallv(k *collective, s Address, sn, sd Ints, st Type, d Address, dn, dd Ints,
	dt Type, c Comm) error {
	return p.alltoall(k, listed(s, sn, sd, st), listed(d, dn, dd, dt), c)
}

// Alltoallw is MPI_Alltoallw.
func (p *Process) Alltoallw(k *collective, s Address, sn, sd Ints, st Handles[Type], d Address, dn, dd Ints,
	dt Handles[Type], c Comm) error {
	return p.alltoall(k, typed(s, sn, sd, st), typed(d, dn, dd, dt), c)
}
