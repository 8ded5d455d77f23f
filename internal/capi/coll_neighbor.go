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
