package capi

import (
	"github.com/gopvas/gopvas/coll"
	"github.com/gopvas/gopvas/comm"
)

// Collective operations that move data.

// Barrier is MPI_Barrier.
func (p *Process) Barrier(k *collective, c Comm) error {
	on, err := p.comm(c)
	k.is(coll.Barrier, on)
	return err
}

// Bcast is MPI_Bcast.
func (p *Process) Bcast(k *collective, buf Address, count int, t Type, root int, c Comm) error {
	on, err := p.rooted(c, root)
	if err != nil {
		return err
	}
	if on.inter() {
		return p.bcastAcross(k, buf, count, t, root, on)
	}
	a := k.is(coll.Bcast, on)
	a.Root = root
	parts, err := p.ownMemory(&a.Send, buf, count, t)
	switch {
	case err != nil || parts == nil:
		return err
	case on.c.Rank() == root:
		k.staged(parts, nil, false)
	default:
		a.Hooks = hooks(&area{}, &area{a.Send, parts}, false)
	}
	return nil
}

func (p *Process) bcastAcross(k *collective, buf Address, count int, t Type, root int, on *communicator) error {
	if root == PROC_NULL {
		return k.across(on, "bcast", nil, nil)
	}
	b, err := p.buffer(buf, count, t)
	switch {
	case err != nil:
		return err
	case root == ROOT:
		return k.across(on, "bcast", on.each(b), nil)
	}
	return k.across(on, "bcast", nil, on.only(root, b))
}

// gather is Gather and Gatherv.
func (p *Process) gather(k *collective, at Address, count int, t Type, to blockList, root int, c Comm) error {
	on, err := p.rooted(c, root)
	if err != nil {
		return err
	}
	if on.inter() {
		return p.gatherAcross(k, at, count, t, to, root, on)
	}
	a := k.is(coll.Gather, on)
	a.Root, a.Irregular = root, to.irregular()
	var send, recv []comm.Buffer
	if on.c.Rank() == root {
		if err := notInPlace(to.at); err != nil {
			return err
		}
		if recv, err = to.memory(p, k, &a.Recv, on.c.Size()); err != nil {
			return err
		}
		a.InPlace = at == IN_PLACE
	} else if err := notInPlace(at); err != nil {
		return err
	}
	if !a.InPlace {
		if send, err = p.ownMemory(&a.Send, at, count, t); err != nil {
			return err
		}
	}
	k.staged(send, recv, a.InPlace)
	return nil
}

func (p *Process) gatherAcross(k *collective, at Address, count int, t Type, to blockList, root int, on *communicator) error {
	switch root {
	case PROC_NULL:
		return k.across(on, "gather", nil, nil)
	case ROOT:
		in, err := to.parts(p, on.peers())
		if err != nil {
			return err
		}
		return k.across(on, "gather", nil, in)
	}
	b, err := p.buffer(at, count, t)
	if err != nil {
		return err
	}
	return k.across(on, "gather", on.only(root, b), nil)
}

// Gather is MPI_Gather.
func (p *Process) Gather(k *collective, s Address, sn int, st Type, d Address, dn int, dt Type, root int, c Comm) error {
	return p.gather(k, s, sn, st, regular(d, dn, dt), root, c)
}

// Gatherv is MPI_Gatherv.
func (p *Process) Gatherv(k *collective, s Address, sn int, st Type, d Address, counts, displs Ints, dt Type, root int, c Comm) error {
	return p.gather(k, s, sn, st, listed(d, counts, displs, dt), root, c)
}

// scatter is Scatter and Scatterv.
func (p *Process) scatter(k *collective, from blockList, at Address, count int, t Type, root int, c Comm) error {
	on, err := p.rooted(c, root)
	if err != nil {
		return err
	}
	if on.inter() {
		return p.scatterAcross(k, from, at, count, t, root, on)
	}
	a := k.is(coll.Scatter, on)
	a.Root, a.Irregular = root, from.irregular()
	var send, recv []comm.Buffer
	if on.c.Rank() == root {
		if err := notInPlace(from.at); err != nil {
			return err
		}
		if send, err = from.memory(p, k, &a.Send, on.c.Size()); err != nil {
			return err
		}
		a.InPlace = at == IN_PLACE
	} else if err := notInPlace(at); err != nil {
		return err
	}
	if !a.InPlace {
		if recv, err = p.ownMemory(&a.Recv, at, count, t); err != nil {
			return err
		}
	}
	k.staged(send, recv, false)
	return nil
}

func (p *Process) scatterAcross(k *collective, from blockList, at Address, count int, t Type, root int, on *communicator) error {
	switch root {
	case PROC_NULL:
		return k.across(on, "scatter", nil, nil)
	case ROOT:
		out, err := from.parts(p, on.peers())
		if err != nil {
			return err
		}
		return k.across(on, "scatter", out, nil)
	}
	b, err := p.buffer(at, count, t)
	if err != nil {
		return err
	}
	return k.across(on, "scatter", nil, on.only(root, b))
}

// Scatter is MPI_Scatter.
func (p *Process) Scatter(k *collective, s Address, sn int, st Type, d Address, dn int, dt Type, root int, c Comm) error {
	return p.scatter(k, regular(s, sn, st), d, dn, dt, root, c)
}

// Scatterv is MPI_Scatterv.
func (p *Process) Scatterv(k *collective, s Address, counts, displs Ints, st Type, d Address, dn int, dt Type, root int, c Comm) error {
	return p.scatter(k, listed(s, counts, displs, st), d, dn, dt, root, c)
}
