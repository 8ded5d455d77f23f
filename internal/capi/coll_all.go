package capi

import (
	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/comm"
)

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
	a.Irregular, a.InPlace = to.irregular(), at == IN_PLACE || to.holds(p, at, on.c.Rank())
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
