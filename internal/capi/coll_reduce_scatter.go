package capi

import "github.com/gopvas/gopvas/internal/msg/coll"

// reduceScatter is Reduce_scatter_block, and with counts Reduce_scatter.
func (p *Process) reduceScatter(k *collective, send, recv Address, block int, counts Ints, regular bool,
	t Type, op Op, c Comm) error {
	on, err := k.of(p, coll.ReduceScatter, c)
	if err != nil {
		return err
	}
	var r reducing
	if err := r.look(p, op, t, on); err != nil {
		return err
	}
	size, rank := on.c.Size(), on.c.Rank()
	a := &k.args
	total, err := product(size, block)
	if err != nil {
		return err
	}
	before, own := rank*block, block
	if !regular {
		if counts.addr < firstPage {
			return noArray("counts")
		}
		a.Send.Counts, a.Send.Displs, a.Send.Unit = counts.CopyTo(k.list(size)), k.list(size), r.op.Size
		if total, err = starts(a.Send.Counts, a.Send.Displs); err != nil {
			return err
		}
		before, own = a.Send.Displs[rank], a.Send.Counts[rank]
	}
	if k.apart {
		return r.reduceScatterAcross(k, send, recv, total, before, own)
	}
	a.Op, a.InPlace = r.op, send == IN_PLACE
	a.Send.Of, a.Recv.Of = r.t.element, r.t.element
	if a.InPlace {
		a.Recv.Data, err = r.received(recv, total, true)
	} else if a.Send.Data, err = r.sent(send, total); err == nil {
		a.Recv.Data, err = r.received(recv, own, false)
	}
	if a.Hooks = r.hooks; regular {
		a.Send.Block = block * r.op.Size
	}
	return err
}

// starts sets where blocks of these lengths start, one after the other, and returns the sum.
func starts(lengths, at []int) (total int, err error) {
	for i, n := range lengths {
		if n < 0 {
			return 0, fail(ERR_COUNT, "the count of block %d is %d; it must not be negative", i, n)
		}
		at[i] = total
		total += n
	}
	return total, nil
}

// reduceScatterAcross has each rank of the remote group get the whole vector and take its
// block of the result: nobody knows the blocks of the other group.
func (r *reducing) reduceScatterAcross(k *collective, send, recv Address, total, before, own int) error {
	s, err := r.sent(send, total)
	if err != nil {
		return err
	}
	v, err := r.received(recv, own, false)
	if err != nil {
		return err
	}
	return r.fold(k, s, v, len(s), before*r.op.Size)
}
