package capi

import (
	"github.com/gopvas/gopvas/coll"
	"github.com/gopvas/gopvas/comm"
)

// neighbors makes a neighbourhood operation. data returns the blocks for so many
// destinations and sources.
func (p *Process) neighbors(name string, c Comm, data func(out, in int) (sends, receives []comm.Buffer, err error)) *collective {
	on, err := p.intra(c)
	if err != nil {
		return failed(err)
	}
	k := comm.NewNeighborCall(on.c, name, func(out, in []coll.Edge) error {
		sends, receives, err := data(len(out), len(in))
		comm.SetEdges(out, sends)
		comm.SetEdges(in, receives)
		return err
	})
	if k.Wrong != nil {
		return failed(k.Wrong)
	}
	k.Layouts = true
	return &collective{on: on, name: name, edges: &k}
}

// neighborAllgather is Neighbor_allgather and Neighbor_allgatherv.
func (p *Process) neighborAllgather(at Address, count int, t Type, to blockList, c Comm) *collective {
	return p.neighbors("neighbor_allgather", c, func(out, in int) (sends, receives []comm.Buffer, err error) {
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
	return p.neighborAllgather(s, sn, st, regular(d, dn, dt), c).run()
}

// Ineighbor_allgather is MPI_Ineighbor_allgather.
func (p *Process) Ineighbor_allgather(s Address, sn int, st Type, d Address, dn int, dt Type, c Comm, r Ptr[Request]) error {
	return p.neighborAllgather(s, sn, st, regular(d, dn, dt), c).begin(p, r)
}

// Neighbor_allgather_init is MPI_Neighbor_allgather_init.
func (p *Process) Neighbor_allgather_init(s Address, sn int, st Type, d Address, dn int, dt Type, c Comm, info Info, r Ptr[Request]) error {
	return p.neighborAllgather(s, sn, st, regular(d, dn, dt), c).prepare(p, info, r)
}

// Neighbor_allgatherv is MPI_Neighbor_allgatherv.
func (p *Process) Neighbor_allgatherv(s Address, sn int, st Type, d Address, counts, displs Ints, dt Type, c Comm) error {
	return p.neighborAllgather(s, sn, st, listed(d, counts, displs, dt), c).run()
}

// Ineighbor_allgatherv is MPI_Ineighbor_allgatherv.
func (p *Process) Ineighbor_allgatherv(s Address, sn int, st Type, d Address, counts, displs Ints, dt Type, c Comm, r Ptr[Request]) error {
	return p.neighborAllgather(s, sn, st, listed(d, counts, displs, dt), c).begin(p, r)
}

// Neighbor_allgatherv_init is MPI_Neighbor_allgatherv_init.
func (p *Process) Neighbor_allgatherv_init(s Address, sn int, st Type, d Address, counts, displs Ints, dt Type, c Comm, info Info, r Ptr[Request]) error {
	return p.neighborAllgather(s, sn, st, listed(d, counts, displs, dt), c).prepare(p, info, r)
}

// neighborAlltoall is Neighbor_alltoall and Neighbor_alltoallv.
func (p *Process) neighborAlltoall(from, to blockList, c Comm) *collective {
	return p.neighbors("neighbor_alltoall", c, func(out, in int) (sends, receives []comm.Buffer, err error) {
		if sends, err = from.parts(p, out); err != nil {
			return nil, nil, err
		}
		receives, err = to.parts(p, in)
		return sends, receives, err
	})
}

// Neighbor_alltoall is MPI_Neighbor_alltoall.
func (p *Process) Neighbor_alltoall(s Address, sn int, st Type, d Address, dn int, dt Type, c Comm) error {
	return p.neighborAlltoall(regular(s, sn, st), regular(d, dn, dt), c).run()
}

// Ineighbor_alltoall is MPI_Ineighbor_alltoall.
func (p *Process) Ineighbor_alltoall(s Address, sn int, st Type, d Address, dn int, dt Type, c Comm, r Ptr[Request]) error {
	return p.neighborAlltoall(regular(s, sn, st), regular(d, dn, dt), c).begin(p, r)
}

// Neighbor_alltoall_init is MPI_Neighbor_alltoall_init.
func (p *Process) Neighbor_alltoall_init(s Address, sn int, st Type, d Address, dn int, dt Type, c Comm, info Info, r Ptr[Request]) error {
	return p.neighborAlltoall(regular(s, sn, st), regular(d, dn, dt), c).prepare(p, info, r)
}

// Neighbor_alltoallv is MPI_Neighbor_alltoallv.
func (p *Process) Neighbor_alltoallv(s Address, sn, sd Ints, st Type, d Address, dn, dd Ints, dt Type, c Comm) error {
	return p.neighborAlltoall(listed(s, sn, sd, st), listed(d, dn, dd, dt), c).run()
}

// Ineighbor_alltoallv is MPI_Ineighbor_alltoallv.
func (p *Process) Ineighbor_alltoallv(s Address, sn, sd Ints, st Type, d Address, dn, dd Ints, dt Type, c Comm, r Ptr[Request]) error {
	return p.neighborAlltoall(listed(s, sn, sd, st), listed(d, dn, dd, dt), c).begin(p, r)
}

// Neighbor_alltoallv_init is MPI_Neighbor_alltoallv_init.
func (p *Process) Neighbor_alltoallv_init(s Address, sn, sd Ints, st Type, d Address, dn, dd Ints, dt Type, c Comm, info Info, r Ptr[Request]) error {
	return p.neighborAlltoall(listed(s, sn, sd, st), listed(d, dn, dd, dt), c).prepare(p, info, r)
}

// neighborAlltoallw is Neighbor_alltoallw.
func (p *Process) neighborAlltoallw(s Address, sn, sd Ints, st Handles[Type], d Address, dn, dd Ints, dt Handles[Type], c Comm) *collective {
	return p.neighbors("neighbor_alltoallw", c, func(out, in int) (sends, receives []comm.Buffer, err error) {
		if sends, err = p.typedParts(s, sn, sd, st, out); err != nil {
			return nil, nil, err
		}
		receives, err = p.typedParts(d, dn, dd, dt, in)
		return sends, receives, err
	})
}

// Neighbor_alltoallw is MPI_Neighbor_alltoallw.
func (p *Process) Neighbor_alltoallw(s Address, sn, sd Ints, st Handles[Type], d Address, dn, dd Ints, dt Handles[Type], c Comm) error {
	return p.neighborAlltoallw(s, sn, sd, st, d, dn, dd, dt, c).run()
}

// Ineighbor_alltoallw is MPI_Ineighbor_alltoallw.
func (p *Process) Ineighbor_alltoallw(s Address, sn, sd Ints, st Handles[Type], d Address, dn, dd Ints, dt Handles[Type], c Comm, r Ptr[Request]) error {
	return p.neighborAlltoallw(s, sn, sd, st, d, dn, dd, dt, c).begin(p, r)
}

// Neighbor_alltoallw_init is MPI_Neighbor_alltoallw_init.
func (p *Process) Neighbor_alltoallw_init(s Address, sn, sd Ints, st Handles[Type], d Address, dn, dd Ints, dt Handles[Type], c Comm, info Info, r Ptr[Request]) error {
	return p.neighborAlltoallw(s, sn, sd, st, d, dn, dd, dt, c).prepare(p, info, r)
}
