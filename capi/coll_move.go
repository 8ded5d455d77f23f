package capi

import "github.com/gopvas/gopvas/coll"

// Collective operations that move data. Each has one function that makes the call, and three
// forms: blocking, nonblocking and persistent.

func (p *Process) barrier(c Comm) *collective {
	on, err := p.comm(c)
	if err != nil {
		return failed(err)
	}
	return &collective{on: on, name: "barrier", args: coll.Args{Kind: coll.Barrier}}
}

// Barrier is MPI_Barrier.
func (p *Process) Barrier(c Comm) error {
	on, err := p.comm(c)
	if err != nil {
		return err
	}
	return on.c.Barrier()
}

// Ibarrier is MPI_Ibarrier.
func (p *Process) Ibarrier(c Comm, r Ptr[Request]) error { return p.barrier(c).begin(p, r) }

// Barrier_init is MPI_Barrier_init.
func (p *Process) Barrier_init(c Comm, info Info, r Ptr[Request]) error {
	return p.barrier(c).prepare(p, info, r)
}

func (p *Process) bcast(buf Address, count int, t Type, root int, c Comm) *collective {
	const name = "bcast"
	on, err := p.rooted(c, root)
	if err != nil {
		return failed(err)
	}
	if on.inter() {
		return p.bcastAcross(buf, count, t, root, on)
	}
	a, err := p.ownArea(buf, count, t)
	if err != nil {
		return failed(err)
	}
	k := &collective{on: on, name: name, args: coll.Args{Kind: coll.Bcast, Root: root, Send: a.Buffer}}
	if on.c.Rank() == root {
		k.args.Hooks = hooks(&a, nil, false)
	} else {
		k.args.Hooks = hooks(nil, &a, false)
	}
	return k
}

func (p *Process) bcastAcross(buf Address, count int, t Type, root int, on *communicator) *collective {
	if root == PROC_NULL {
		return on.across("bcast", nil, nil)
	}
	b, err := p.buffer(buf, count, t)
	switch {
	case err != nil:
		return failed(err)
	case root == ROOT:
		return on.across("bcast", on.each(b), nil)
	}
	return on.across("bcast", nil, on.only(root, b))
}

// Bcast is MPI_Bcast.
func (p *Process) Bcast(buf Address, count int, t Type, root int, c Comm) error {
	return p.bcast(buf, count, t, root, c).run()
}

// Ibcast is MPI_Ibcast.
func (p *Process) Ibcast(buf Address, count int, t Type, root int, c Comm, r Ptr[Request]) error {
	return p.bcast(buf, count, t, root, c).begin(p, r)
}

// Bcast_init is MPI_Bcast_init.
func (p *Process) Bcast_init(buf Address, count int, t Type, root int, c Comm, info Info, r Ptr[Request]) error {
	return p.bcast(buf, count, t, root, c).prepare(p, info, r)
}

// gather is Gather and Gatherv.
func (p *Process) gather(at Address, count int, t Type, to blockList, root int, c Comm) *collective {
	on, err := p.rooted(c, root)
	if err != nil {
		return failed(err)
	}
	if on.inter() {
		return p.gatherAcross(at, count, t, to, root, on)
	}
	k := &collective{on: on, name: "gather", args: coll.Args{Kind: coll.Gather, Root: root, Irregular: to.listed}}
	a := &k.args
	var send, recv area
	if on.c.Rank() == root {
		if err := notInPlace(to.at); err != nil {
			return failed(err)
		}
		if recv, err = to.area(p, on.c.Size()); err != nil {
			return failed(err)
		}
		a.InPlace = at == IN_PLACE
	} else if err := notInPlace(at); err != nil {
		return failed(err)
	}
	if !a.InPlace {
		if send, err = p.ownArea(at, count, t); err != nil {
			return failed(err)
		}
	}
	a.Send, a.Recv, a.Hooks = send.Buffer, recv.Buffer, hooks(&send, &recv, a.InPlace)
	return k
}

func (p *Process) gatherAcross(at Address, count int, t Type, to blockList, root int, on *communicator) *collective {
	switch root {
	case PROC_NULL:
		return on.across("gather", nil, nil)
	case ROOT:
		in, err := to.parts(p, on.peers())
		if err != nil {
			return failed(err)
		}
		return on.across("gather", nil, in)
	}
	b, err := p.buffer(at, count, t)
	if err != nil {
		return failed(err)
	}
	return on.across("gather", on.only(root, b), nil)
}

// Gather is MPI_Gather.
func (p *Process) Gather(s Address, sn int, st Type, d Address, dn int, dt Type, root int, c Comm) error {
	return p.gather(s, sn, st, regular(d, dn, dt), root, c).run()
}

// Igather is MPI_Igather.
func (p *Process) Igather(s Address, sn int, st Type, d Address, dn int, dt Type, root int, c Comm, r Ptr[Request]) error {
	return p.gather(s, sn, st, regular(d, dn, dt), root, c).begin(p, r)
}

// Gather_init is MPI_Gather_init.
func (p *Process) Gather_init(s Address, sn int, st Type, d Address, dn int, dt Type, root int, c Comm, info Info, r Ptr[Request]) error {
	return p.gather(s, sn, st, regular(d, dn, dt), root, c).prepare(p, info, r)
}

// Gatherv is MPI_Gatherv.
func (p *Process) Gatherv(s Address, sn int, st Type, d Address, counts, displs Ints, dt Type, root int, c Comm) error {
	return p.gather(s, sn, st, listed(d, counts, displs, dt), root, c).run()
}

// Igatherv is MPI_Igatherv.
func (p *Process) Igatherv(s Address, sn int, st Type, d Address, counts, displs Ints, dt Type, root int, c Comm, r Ptr[Request]) error {
	return p.gather(s, sn, st, listed(d, counts, displs, dt), root, c).begin(p, r)
}

// Gatherv_init is MPI_Gatherv_init.
func (p *Process) Gatherv_init(s Address, sn int, st Type, d Address, counts, displs Ints, dt Type, root int, c Comm, info Info, r Ptr[Request]) error {
	return p.gather(s, sn, st, listed(d, counts, displs, dt), root, c).prepare(p, info, r)
}

// scatter is Scatter and Scatterv.
func (p *Process) scatter(from blockList, at Address, count int, t Type, root int, c Comm) *collective {
	on, err := p.rooted(c, root)
	if err != nil {
		return failed(err)
	}
	if on.inter() {
		return p.scatterAcross(from, at, count, t, root, on)
	}
	k := &collective{on: on, name: "scatter", args: coll.Args{Kind: coll.Scatter, Root: root, Irregular: from.listed}}
	a := &k.args
	var send, recv area
	if on.c.Rank() == root {
		if err := notInPlace(from.at); err != nil {
			return failed(err)
		}
		if send, err = from.area(p, on.c.Size()); err != nil {
			return failed(err)
		}
		a.InPlace = at == IN_PLACE
	} else if err := notInPlace(at); err != nil {
		return failed(err)
	}
	if !a.InPlace {
		if recv, err = p.ownArea(at, count, t); err != nil {
			return failed(err)
		}
	}
	a.Send, a.Recv, a.Hooks = send.Buffer, recv.Buffer, hooks(&send, &recv, false)
	return k
}

func (p *Process) scatterAcross(from blockList, at Address, count int, t Type, root int, on *communicator) *collective {
	switch root {
	case PROC_NULL:
		return on.across("scatter", nil, nil)
	case ROOT:
		out, err := from.parts(p, on.peers())
		if err != nil {
			return failed(err)
		}
		return on.across("scatter", out, nil)
	}
	b, err := p.buffer(at, count, t)
	if err != nil {
		return failed(err)
	}
	return on.across("scatter", nil, on.only(root, b))
}

// Scatter is MPI_Scatter.
func (p *Process) Scatter(s Address, sn int, st Type, d Address, dn int, dt Type, root int, c Comm) error {
	return p.scatter(regular(s, sn, st), d, dn, dt, root, c).run()
}

// Iscatter is MPI_Iscatter.
func (p *Process) Iscatter(s Address, sn int, st Type, d Address, dn int, dt Type, root int, c Comm, r Ptr[Request]) error {
	return p.scatter(regular(s, sn, st), d, dn, dt, root, c).begin(p, r)
}

// Scatter_init is MPI_Scatter_init.
func (p *Process) Scatter_init(s Address, sn int, st Type, d Address, dn int, dt Type, root int, c Comm, info Info, r Ptr[Request]) error {
	return p.scatter(regular(s, sn, st), d, dn, dt, root, c).prepare(p, info, r)
}

// Scatterv is MPI_Scatterv.
func (p *Process) Scatterv(s Address, counts, displs Ints, st Type, d Address, dn int, dt Type, root int, c Comm) error {
	return p.scatter(listed(s, counts, displs, st), d, dn, dt, root, c).run()
}

// Iscatterv is MPI_Iscatterv.
func (p *Process) Iscatterv(s Address, counts, displs Ints, st Type, d Address, dn int, dt Type, root int, c Comm, r Ptr[Request]) error {
	return p.scatter(listed(s, counts, displs, st), d, dn, dt, root, c).begin(p, r)
}

// Scatterv_init is MPI_Scatterv_init.
func (p *Process) Scatterv_init(s Address, counts, displs Ints, st Type, d Address, dn int, dt Type, root int, c Comm, info Info, r Ptr[Request]) error {
	return p.scatter(listed(s, counts, displs, st), d, dn, dt, root, c).prepare(p, info, r)
}
