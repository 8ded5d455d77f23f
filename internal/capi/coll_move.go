package capi

import (
	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/comm"
)

// Collective operations that move data.

// Barrier is MPI_Barrier.
func (p *Process) Barrier(k *collective, c Comm) error {
	_, err := k.of(p, coll.Barrier, c)
	return err
}

// Bcast is MPI_Bcast.
func (p *Process) Bcast(k *collective, buf Address, count int, t Type, root int, c Comm) error {
	on, err := k.rooted(p, coll.Bcast, root, c)
	if err != nil {
		return err
	}
	if k.apart {
		return p.bcastAcross(k, buf, count, t, root, on)
	}
	return p.ownMemory(&k.args.Send, buf, count, t)
}

func (p *Process) bcastAcross(k *collective, buf Address, count int, t Type, root int, on *communicator) error {
	if root == PROC_NULL {
		return k.across(nil, nil)
	}
	b, err := p.buffer(buf, count, t)
	switch {
	case err != nil:
		return err
	case root == ROOT:
		return k.across(on.each(b), nil)
	}
	return k.across(nil, on.only(root, b))
}

// rootBlocks is Gather and Scatter: all members have memory of their own, and blocks are the
// memory for all of them at the root.
func (p *Process) rootBlocks(k *collective, kind coll.Kind, blocks blockList, at Address, count int, t Type,
	root int, c Comm) error {
	on, err := k.rooted(p, kind, root, c)
	if err != nil {
		return err
	}
	if k.apart {
		return p.rootBlocksAcross(k, kind, blocks, at, count, t, root, on)
	}
	a := &k.args
	a.Irregular = blocks.irregular()
	own, all := &a.Send, &a.Recv
	if kind == coll.Scatter {
		own, all = all, own
	}
	if on.c.Rank() != root {
		if err := notInPlace(at); err != nil {
			return err
		}
		return p.ownMemory(own, at, count, t)
	}
	if err := notInPlace(blocks.at); err != nil {
		return err
	}
	a.InPlace = at == IN_PLACE || blocks.holds(p, at, root)
	if err := blocks.memory(p, k, all, on.c.Size()); err != nil || a.InPlace {
		return err
	}
	return p.ownMemory(own, at, count, t)
}

func (p *Process) rootBlocksAcross(k *collective, kind coll.Kind, blocks blockList, at Address, count int, t Type,
	root int, on *communicator) (err error) {
	var parts []comm.Buffer // of this rank
	switch root {
	case PROC_NULL:
	case ROOT:
		parts, err = blocks.parts(p, on.peers())
	default:
		var b comm.Buffer
		b, err = p.buffer(at, count, t)
		parts = on.only(root, b)
	}
	if err != nil {
		return err
	}
	if sends := (kind == coll.Gather) == (root != ROOT); sends {
		return k.across(parts, nil)
	}
	return k.across(nil, parts)
}
