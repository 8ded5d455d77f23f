package capi

import (
	"github.com/gopvas/gopvas/coll"
	"github.com/gopvas/gopvas/comm"
)

// neighbors makes a neighbourhood operation. data returns the blocks for so many
// destinations and sources.
func (p *Process) neighbors(k *collective, name string, c Comm, data func(out, in int) (sends, receives []comm.Buffer, err error)) error {
	on, err := p.intra(c)
	if err != nil {
		return err
	}
	edges := comm.NewNeighborCall(on.c, name, func(out, in []coll.Edge) error {
		sends, receives, err := data(len(out), len(in))
		comm.SetEdges(out, sends)
		comm.SetEdges(in, receives)
		return err
	})
	edges.Layouts = true
	k.on, k.name, k.edges = on, name, &edges
	return edges.Wrong
}

// neighborAllgather is Neighbor_allgather and Neighbor_allgatherv.
func (p *Process) neighborAllgather(k *collective, at Address, count int, t Type, to blockList, c Comm) error {
	return p.neighbors(k, "neighbor_allgather", c, func(out, in int) (sends, receives []comm.Buffer, err error) {
		b, err := p.buffer(at, count, t)
		if err != nil {
			return nil, nil, err
		}
		for range out {
			sends = append(sends, b)
		}
		receives, err = to.parts(p, in)
		return sends, receives, err
	})
}

// Neighbor_allgather is MPI_Neighbor_allgather.
func (p *Process) Neighbor_allgather(s Address, sn int, st Type, d Address, dn int, dt Type, c Comm) error {
	var k collective
	return k.run(p.neighborAllgather(&k, s, sn, st, regular(d, dn, dt), c))
}

// Ineighbor_allgather is MPI_Ineighbor_allgather.
func (p *Process) Ineighbor_allgather(s Address, sn int, st Type, d Address, dn int, dt Type, c Comm, r Ptr[Request]) error {
	var k collective
	return k.begin(p, r, p.neighborAllgather(&k, s, sn, st, regular(d, dn, dt), c))
}

// Neighbor_allgather_init is MPI_Neighbor_allgather_init.
func (p *Process) Neighbor_allgather_init(s Address, sn int, st Type, d Address, dn int, dt Type, c Comm, info Info, r Ptr[Request]) error {
	var k collective
	return k.prepare(p, info, r, p.neighborAllgather(&k, s, sn, st, regular(d, dn, dt), c))
}

// Neighbor_allgatherv is MPI_Neighbor_allgatherv.
func (p *Process) Neighbor_allgatherv(s Address, sn int, st Type, d Address, counts, displs Ints, dt Type, c Comm) error {
	var k collective
	return k.run(p.neighborAllgather(&k, s, sn, st, listed(d, counts, displs, dt), c))
}

// Ineighbor_allgatherv is MPI_Ineighbor_allgatherv.
func (p *Process) Ineighbor_allgatherv(s Address, sn int, st Type, d Address, counts, displs Ints, dt Type, c Comm, r Ptr[Request]) error {
	var k collective
	return k.begin(p, r, p.neighborAllgather(&k, s, sn, st, listed(d, counts, displs, dt), c))
}

// Neighbor_allgatherv_init is MPI_Neighbor_allgatherv_init.
func (p *Process) Neighbor_allgatherv_init(s Address, sn int, st Type, d Address, counts, displs Ints, dt Type, c Comm, info Info, r Ptr[Request]) error {
	var k collective
	return k.prepare(p, info, r, p.neighborAllgather(&k, s, sn, st, listed(d, counts, displs, dt), c))
}

// neighborAlltoall is all kinds of Neighbor_alltoall.
func (p *Process) neighborAlltoall(k *collective, name string, from, to blockList, c Comm) error {
	return p.neighbors(k, name, c, func(out, in int) (sends, receives []comm.Buffer, err error) {
		if sends, err = from.parts(p, out); err != nil {
			return nil, nil, err
		}
		receives, err = to.parts(p, in)
		return sends, receives, err
	})
}

// Neighbor_alltoall is MPI_Neighbor_alltoall.
func (p *Process) Neighbor_alltoall(s Address, sn int, st Type, d Address, dn int, dt Type, c Comm) error {
	var k collective
	return k.run(p.neighborAlltoall(&k, "neighbor_alltoall", regular(s, sn, st), regular(d, dn, dt), c))
}

// Ineighbor_alltoall is MPI_Ineighbor_alltoall.
func (p *Process) Ineighbor_alltoall(s Address, sn int, st Type, d Address, dn int, dt Type, c Comm, r Ptr[Request]) error {
	var k collective
	return k.begin(p, r, p.neighborAlltoall(&k, "neighbor_alltoall", regular(s, sn, st), regular(d, dn, dt), c))
}

// Neighbor_alltoall_init is MPI_Neighbor_alltoall_init.
func (p *Process) Neighbor_alltoall_init(s Address, sn int, st Type, d Address, dn int, dt Type, c Comm, info Info, r Ptr[Request]) error {
	var k collective
	return k.prepare(p, info, r, p.neighborAlltoall(&k, "neighbor_alltoall", regular(s, sn, st), regular(d, dn, dt), c))
}

// Neighbor_alltoallv is MPI_Neighbor_alltoallv.
func (p *Process) Neighbor_alltoallv(s Address, sn, sd Ints, st Type, d Address, dn, dd Ints, dt Type, c Comm) error {
	var k collective
	return k.run(p.neighborAlltoall(&k, "neighbor_alltoall", listed(s, sn, sd, st), listed(d, dn, dd, dt), c))
}

// Ineighbor_alltoallv is MPI_Ineighbor_alltoallv.
func (p *Process) Ineighbor_alltoallv(s Address, sn, sd Ints, st Type, d Address, dn, dd Ints, dt Type, c Comm, r Ptr[Request]) error {
	var k collective
	return k.begin(p, r, p.neighborAlltoall(&k, "neighbor_alltoall", listed(s, sn, sd, st), listed(d, dn, dd, dt), c))
}

// Neighbor_alltoallv_init is MPI_Neighbor_alltoallv_init.
func (p *Process) Neighbor_alltoallv_init(s Address, sn, sd Ints, st Type, d Address, dn, dd Ints, dt Type, c Comm, info Info, r Ptr[Request]) error {
	var k collective
	return k.prepare(p, info, r, p.neighborAlltoall(&k, "neighbor_alltoall", listed(s, sn, sd, st), listed(d, dn, dd, dt), c))
}

// Neighbor_alltoallw is MPI_Neighbor_alltoallw.
func (p *Process) Neighbor_alltoallw(s Address, sn, sd Ints, st Handles[Type], d Address, dn, dd Ints, dt Handles[Type], c Comm) error {
	var k collective
	return k.run(p.neighborAlltoall(&k, "neighbor_alltoallw", typed(s, sn, sd, st), typed(d, dn, dd, dt), c))
}

// Ineighbor_alltoallw is MPI_Ineighbor_alltoallw.
func (p *Process) Ineighbor_alltoallw(s Address, sn, sd Ints, st Handles[Type], d Address, dn, dd Ints, dt Handles[Type], c Comm, r Ptr[Request]) error {
	var k collective
	return k.begin(p, r, p.neighborAlltoall(&k, "neighbor_alltoallw", typed(s, sn, sd, st), typed(d, dn, dd, dt), c))
}

// Neighbor_alltoallw_init is MPI_Neighbor_alltoallw_init.
func (p *Process) Neighbor_alltoallw_init(s Address, sn, sd Ints, st Handles[Type], d Address, dn, dd Ints, dt Handles[Type], c Comm, info Info, r Ptr[Request]) error {
	var k collective
	return k.prepare(p, info, r, p.neighborAlltoall(&k, "neighbor_alltoallw", typed(s, sn, sd, st), typed(d, dn, dd, dt), c))
}
