package capi

import (
	"math"

	"github.com/gopvas/gopvas/internal/msg/comm"
)

// group returns the group of a handle.
func (p *Process) group(g Group) (*comm.Group, error) {
	if g == GROUP_EMPTY {
		return p.world.c.Group().Incl()
	}
	if object := p.groups.get(uintptr(g)); object != nil {
		return object, nil
	}
	return nil, wrongHandle(kindGroup, uintptr(g))
}

// newGroup gives a group a handle.
func (p *Process) newGroup(g *comm.Group) Group {
	if g.Size() == 0 {
		return GROUP_EMPTY
	}
	copied := *g // each handle is freed by itself
	return Group(p.groups.add(&copied))
}

// madeGroup hands out what a call has returned.
func (p *Process) madeGroup(g *comm.Group, err error, out Ptr[Group]) error {
	if err != nil {
		return err
	}
	out.Set(p.newGroup(g))
	return nil
}

// ackFailed acknowledges the first of the members of a communicator that have failed, and returns how many are.
func ackFailed(c *comm.Comm, n int) (int, error) {
	if n < 0 {
		return 0, fail(ERR_ARG, "%d failures to acknowledge: pass 0 or more", n)
	}
	return comm.Acknowledge(c, n), nil
}

// ackAll acknowledges all members of a communicator that have failed.
func ackAll(c *comm.Comm) error {
	_, err := ackFailed(c, math.MaxInt)
	return err
}

// Group_free is MPI_Group_free.
func (p *Process) Group_free(g Ptr[Group]) error {
	if h := g.Get(); h != GROUP_EMPTY && p.groups.remove(uintptr(h)) == nil {
		return wrongHandle(kindGroup, uintptr(h))
	}
	g.Set(GROUP_NULL)
	return nil
}

// undefined is a rank in C.
func undefined(rank int) int {
	if rank == comm.Undefined {
		return UNDEFINED
	}
	return rank
}

// Group_translate_ranks is MPI_Group_translate_ranks.
func (p *Process) Group_translate_ranks(a *comm.Group, n int, ranks Ints, b *comm.Group, out Ints) error {
	if n < 0 {
		return fail(ERR_ARG, "%d ranks", n)
	}
	list := ranks.Copy(n)
	for i, rank := range list {
		if rank == PROC_NULL {
			list[i] = comm.ProcNull
		} else if rank == comm.ProcNull {
			list[i] = -1 // which is no rank
		}
	}
	translated, err := a.TranslateRanks(list, b)
	if err != nil {
		return err
	}
	for i, rank := range translated {
		if rank == comm.ProcNull {
			out.Set(i, PROC_NULL)
		} else {
			out.Set(i, undefined(rank))
		}
	}
	return nil
}

// choose makes a group of some ranks of another.
func (p *Process) choose(g *comm.Group, n int, ranks Ints, how func(*comm.Group, ...int) (*comm.Group, error),
	out Ptr[Group]) error {
	if n < 0 {
		return fail(ERR_ARG, "%d ranks", n)
	}
	if n > g.Size() { // the list may be shorter than n says
		return fail(ERR_ARG, "%d ranks of a group of %d: give each rank at most once", n, g.Size())
	}
	chosen, err := how(g, ranks.Copy(n)...)
	return p.madeGroup(chosen, classed(err, ERR_RANK), out)
}

// chooseRanges makes a group of ranges of ranks of another.
func (p *Process) chooseRanges(g *comm.Group, n int, triples Ints,
	how func(*comm.Group, ...comm.Range) (*comm.Group, error), out Ptr[Group]) error {
	if n < 0 {
		return fail(ERR_ARG, "%d ranges", n)
	}
	ranges := make([]comm.Range, n)
	for i := range ranges {
		ranges[i] = comm.Range{First: triples.At(3 * i), Last: triples.At(3*i + 1), Stride: triples.At(3*i + 2)}
		if ranges[i].Stride == 0 {
			return fail(ERR_ARG, "the stride of range %d is 0", i)
		}
	}
	chosen, err := how(g, ranges...)
	return p.madeGroup(chosen, classed(err, ERR_RANK), out)
}
