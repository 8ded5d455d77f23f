package coll

import (
	"github.com/gopvas/gopvas/internal/msg/coll/board"
	"github.com/gopvas/gopvas/internal/msg/coll/board/line"
)

// The flat algorithm, for short vectors of a few members with a CPU each: they exchange blocks by the ring of the
// board. Nonblocking calls do the same (short.go), also of members that share CPUs.

// flat does the call.
func flat(t *Team) {
	r, place, ok := t.board.StartExchange()
	if !ok {
		return
	}
	if t.args.Kind != Barrier { // which has no bytes to give or take
		line.Copy(r.Own(place), t.args.given(t.Rank, t.Size, t.size))
	}
	if !t.board.Exchange(place, t.call) || t.args.Kind == Barrier {
		return
	}
	from := r.Blocks(place, t.from)
	t.from = from
	if own := t.own(); own != nil {
		from[t.Rank] = own
	}
	t.args.take(t, t.Rank, t.size, from)
	from[t.Rank] = nil // it is the caller's
}

// fitsRing tells whether the board has a ring and a call of this size fits into its blocks.
func fitsRing(t *Team, n int) bool {
	b := t.board
	return b.Ringed() && !b.Oversubscribed && !b.Treed() && t.args.contribution(t.Size, n) <= board.RingData
}

// contribution returns how many bytes a member gives that gives any, if a vector or block has n bytes.
func (a *Args) contribution(members, n int) int {
	if a.Kind == Alltoall || a.Kind == Scatter {
		return n * members
	}
	return n
}

// given returns the bytes that a member of a team of some size puts into its block, if a vector
// or block has n bytes.
func (a *Args) given(rank, size, n int) []byte {
	if !a.Kind.rooted() || a.Kind == Reduce || a.Kind == Gather || rank == a.Root {
		return a.Send.Data[:a.contribution(size, n)]
	}
	return nil
}

// own returns what this member has put into its block, or nil.
func (t *Team) own() []byte {
	own := t.args.given(t.Rank, t.Size, t.size)
	if t.args.InPlace && t.args.Kind.reduces() { // the result comes to lie there
		t.kept = append(t.kept[:0], own...)
		return t.kept
	}
	return own
}

// combiner combines vectors of a call in the one order: see package order.
type combiner interface {
	reduce(sum []byte, from [][]byte)
}

// take makes the result of a member from what all members have given, n bytes for each of them.
func (a *Args) take(c combiner, rank, n int, from [][]byte) {
	switch a.Kind {
	case Bcast:
		if rank != a.Root {
			line.Copy(a.Recv.Data[:n], from[a.Root])
		}
	case Reduce:
		if rank == a.Root {
			c.reduce(a.Recv.Data[:n], from)
		}
	case Allreduce:
		c.reduce(a.Recv.Data[:n], from)
	case ReduceScatter:
		start, length := a.Send.block(rank)
		for i := range from {
			from[i] = from[i][start:]
		}
		c.reduce(a.Recv.Data[:length], from)
	case Scatter:
		line.Copy(a.Recv.Data, from[a.Root][rank*n:][:n])
	default:
		a.takeBlocks(rank, n, from)
	}
}

// takeBlocks copies a member's block of n bytes out of what each one has given.
func (a *Args) takeBlocks(rank, n int, from [][]byte) {
	if a.Kind == Barrier || a.Kind == Gather && rank != a.Root {
		return
	}
	for member, in := range from {
		if a.Kind == Alltoall {
			in = in[rank*n:]
		}
		line.Copy(a.Recv.Part(member), in[:n])
	}
}
