package capi

import (
	"github.com/gopvas/gopvas/internal/coll"
	"github.com/gopvas/gopvas/internal/comm"
)

// neighbors makes a neighbourhood operation. data returns the blocks for so many
// destinations and sources.
func (p *Process) neighbors(k *collective, name string, c Comm,
	data func(out, in int) (sends, receives []comm.Buffer, err error)) error {
	on, err := p.intra(c)
	if err != nil {
		return err
	}
	k.on, k.name, k.apart = on, name, true
	edges := comm.NewNeighborCall(on.c, name, func(out, in []coll.Edge) error {
		sends, receives, err := data(len(out), len(in))
		comm.SetEdges(out, sends)
		comm.SetEdges(in, receives)
		return err
	})
	edges.Layouts = true
	k.edges = &edges
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
func (p *Process) Neighbor_allgather(k *collective, s Address, sn int, st Type, d Address, dn int,
	dt Type, c Comm) error {
	return p.neighborAllgather(k, s, sn, st, regular(d, dn, dt), c)
}

// Neighbor_allgatherv is MPI_Neighbor_allgatherv.
func (p *Process) Neighbor_allgatherv(k *collective, s Address, sn int, st Type, d Address, counts, displs Ints,
	dt Type, c Comm) error {
	return p.neighborAllgather(k, s, sn, st, listed(d, counts, displs, dt), c)
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
func (p *Process) Neighbor_alltoall(k *collective, s Address, sn int, st Type, d Address, dn int,
	dt Type, c Comm) error {
	return p.neighborAlltoall(k, "neighbor_alltoall", regular(s, sn, st), regular(d, dn, dt), c)
}

// Neighbor_alltoallv is MPI_Neighbor_alltoallv.
func (p *Process) Neighbor_alltoallv(k *collective, s Address, sn, sd Ints, st Type, d Address, dn, dd Ints,
	dt Type, c Comm) error {
	return p.neighborAlltoall(k, "neighbor_alltoall", listed(s, sn, sd, st), listed(d, dn, dd, dt), c)
}

// Neighbor_alltoallw is MPI_Neighbor_alltoallw.
func (p *Process) Neighbor_alltoallw(k *collective, s Address, sn, sd Ints, st Handles[Type], d Address, dn, dd Ints,
	dt Handles[Type], c Comm) error {
	return p.neighborAlltoall(k, "neighbor_alltoallw", typed(s, sn, sd, st), typed(d, dn, dd, dt), c)
}
