package coll

// refused stands for the call of a member whose arguments are wrong.
const refused = kinds

// refuse takes part in a call that this member can not make, so that the others do not
// wait for it. Those that ask what all call, or meet at a board, hear that it refuses.
// Otherwise it does what it would have done, with buffers of its own, and its messages
// say that there is nothing to be had from it.
func (t *Team) refuse(call Args) {
	switch {
	case t.Size == 1:
	case t.Check:
		t.args = Args{Kind: refused}
		t.agree()
	case t.Module.Direct():
		t.args = Args{Kind: refused}
		direct(t)
	default:
		t.args = call
		t.args.substitute(t.Size, t.Rank)
		t.note(faultRefused | fault(t.world(t.Rank)))
		t.choose().run(t)
	}
}

// substitute replaces all that may be wrong in a call by what the other members most
// likely expect. If they expect something else, they see that too.
func (a *Args) substitute(members, rank int) {
	if a.Root < 0 || a.Root >= members {
		a.Root = 0
	}
	if a.Kind.reduces() && a.Op == nil {
		a.Op = &Op{Size: 1, Commutative: true, Apply: func(_, _ []byte) {}}
	}
	inPlace := a.InPlace
	a.InPlace, a.Hooks = false, Hooks{}
	switch a.Kind {
	case Bcast:
		a.Send.Data = append([]byte(nil), a.Send.Data...)
		a.Recv.Data = a.Send.Data
	case Reduce, Allreduce, Scan, Exscan:
		if inPlace {
			a.Send.Data = a.Recv.Data
		}
		a.Send.Data = append([]byte(nil), a.Send.Data...)
		a.Recv.Data = make([]byte, len(a.Send.Data))
	case ReduceScatter:
		a.Send = a.Send.like(members)
		a.Recv.Data = make([]byte, len(a.Send.Part(rank)))
	case Gather, Allgather:
		a.Recv = a.Recv.like(members)
		if inPlace {
			a.Send.Data = a.Recv.Part(rank)
		}
	case Scatter:
		a.Send = a.Send.like(members)
		if inPlace {
			a.Recv.Data = make([]byte, len(a.Send.Part(rank)))
		}
	case Alltoall:
		if inPlace {
			a.Send = a.Recv
		}
		a.Send, a.Recv = a.Send.like(members), a.Recv.like(members)
	}
}

// mostSubstitute bounds the memory for buffers that nobody wants, in bytes.
const mostSubstitute = 64 << 20

// like returns a buffer of blocks as long as those of b, as far as such are possible.
func (b Buffer) like(members int) Buffer {
	if b.Counts == nil {
		b.Block = max(0, min(b.Block, mostSubstitute/members))
		b.Data = make([]byte, members*b.Block)
		return b
	}
	counts, displs := make([]int, members), make([]int, members)
	at := 0
	for i := range min(members, len(b.Counts)) {
		room := (mostSubstitute - at*b.Unit) / max(b.Unit, 1)
		counts[i], displs[i] = max(0, min(b.Counts[i], room)), at
		at += counts[i]
	}
	return Buffer{Data: make([]byte, at*b.Unit), Counts: counts, Displs: displs, Unit: b.Unit}
}
