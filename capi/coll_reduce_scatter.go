package capi

import "github.com/gopvas/gopvas/coll"

// reduceScatter is Reduce_scatter_block, and with counts Reduce_scatter.
func (p *Process) reduceScatter(send, recv Address, block int, counts Ints, regular bool, t Type, op Op, c Comm) *collective {
	on, err := p.comm(c)
	r, err := p.reducing(op, t, on, err)
	if err != nil {
		return failed(err)
	}
	size, rank := on.c.Size(), on.c.Rank()
	lengths := make([]int, size)
	total, before := 0, 0
	for i := range lengths {
		lengths[i] = block
		if !regular {
			lengths[i] = counts.At(i)
		}
		if lengths[i] < 0 {
			return failed(fail(ERR_COUNT, "the count of block %d is %d; it must not be negative", i, lengths[i]))
		}
		if i < rank {
			before += lengths[i]
		}
		total += lengths[i]
	}
	if on.inter() {
		return r.reduceScatterAcross(send, recv, total, before, lengths[rank])
	}
	a := coll.Args{Kind: coll.ReduceScatter, Op: r.op, InPlace: send == IN_PLACE}
	if a.InPlace {
		a.Recv.Data, err = r.received(recv, total, true)
	} else if a.Send.Data, err = r.sent(send, total); err == nil {
		a.Recv.Data, err = r.received(recv, lengths[rank], false)
	}
	if err != nil {
		return failed(err)
	}
	if a.Hooks = r.hooks; regular {
		a.Send.Block = block * r.op.Size
	} else {
		a.Send.Counts, a.Send.Displs, a.Send.Unit = lengths, starts(lengths), r.op.Size
	}
	return &collective{on: on, name: "reduce_scatter", args: a}
}

// starts are where blocks of these lengths start, one after the other.
func starts(lengths []int) []int {
	at := make([]int, len(lengths))
	for i := 1; i < len(at); i++ {
		at[i] = at[i-1] + lengths[i-1]
	}
	return at
}

// reduceScatterAcross has each rank of the remote group get the whole vector and take its
// block of the result: nobody knows the blocks of the other group.
func (r *reducing) reduceScatterAcross(send, recv Address, total, before, own int) *collective {
	s, err := r.sent(send, total)
	if err != nil {
		return failed(err)
	}
	v, err := r.received(recv, own, false)
	if err != nil {
		return failed(err)
	}
	return r.fold("reduce_scatter", s, v, len(s), before*r.op.Size)
}

// Reduce_scatter is MPI_Reduce_scatter.
func (p *Process) Reduce_scatter(send, recv Address, counts Ints, t Type, op Op, c Comm) error {
	return p.reduceScatter(send, recv, 0, counts, false, t, op, c).run()
}

// Ireduce_scatter is MPI_Ireduce_scatter.
func (p *Process) Ireduce_scatter(send, recv Address, counts Ints, t Type, op Op, c Comm, r Ptr[Request]) error {
	return p.reduceScatter(send, recv, 0, counts, false, t, op, c).begin(p, r)
}

// Reduce_scatter_init is MPI_Reduce_scatter_init.
func (p *Process) Reduce_scatter_init(send, recv Address, counts Ints, t Type, op Op, c Comm, info Info, r Ptr[Request]) error {
	return p.reduceScatter(send, recv, 0, counts, false, t, op, c).prepare(p, info, r)
}

// Reduce_scatter_block is MPI_Reduce_scatter_block.
func (p *Process) Reduce_scatter_block(send, recv Address, count int, t Type, op Op, c Comm) error {
	return p.reduceScatter(send, recv, count, Ints{}, true, t, op, c).run()
}

// Ireduce_scatter_block is MPI_Ireduce_scatter_block.
func (p *Process) Ireduce_scatter_block(send, recv Address, count int, t Type, op Op, c Comm, r Ptr[Request]) error {
	return p.reduceScatter(send, recv, count, Ints{}, true, t, op, c).begin(p, r)
}

// Reduce_scatter_block_init is MPI_Reduce_scatter_block_init.
func (p *Process) Reduce_scatter_block_init(send, recv Address, count int, t Type, op Op, c Comm, info Info, r Ptr[Request]) error {
	return p.reduceScatter(send, recv, count, Ints{}, true, t, op, c).prepare(p, info, r)
}
