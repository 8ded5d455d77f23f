package coll

import "github.com/gopvas/gopvas/internal/coll/board"

// Short calls of a team that spans several domains of caches or memory: what the members give goes up the tree of the
// board, and the result down. Each domain then gets the lines that it needs once. The first member applies operators,
// in the order of the members, so the bits do not depend on where these run.

// byDomains does the call.
func byDomains(t *Team) {
	l := t.load()
	t.conveys = true
	ok := t.board.Convey(l)
	t.conveys = false
	if !ok || t.args.Kind == Barrier {
		return
	}
	t.args.take(t, t.Rank, t.size, t.conveyed(&l))
}

// fitsTree tells whether the members meet in a tree, and a call of n bytes fits into its blocks.
func fitsTree(t *Team, n int) bool {
	if !t.board.Treed() {
		return false
	}
	switch a := &t.args; a.Kind {
	case Barrier:
		return true
	case Bcast, Scatter:
		return a.contribution(t.Size, n) <= board.RingData
	case Alltoall:
		return a.contribution(t.Size, n) <= board.MostKept
	}
	return n <= board.RingData/t.Size
}

// load is what a call carries in the tree.
func (t *Team) load() board.Load {
	a, n := &t.args, t.size
	l := board.Load{Own: a.given(t.Rank, t.Size, n), Length: a.contribution(t.Size, n), From: board.AllGive}
	switch a.Kind {
	case Reduce, Allreduce, ReduceScatter:
		l.Result = n
	case Bcast, Scatter:
		l.From, l.Result = a.Root, l.Length
	case Alltoall:
		l.From = board.AllKeep
	default:
		l.Result = n * t.Size
	}
	return l
}

// combine makes the result for all from what has come to the first member.
func (t *Team) combine() {
	to, from := t.board.Answer(), t.from[:0]
	switch t.args.Kind {
	case Alltoall:
		return
	case Bcast, Scatter:
		copyShared(to, t.board.Conveyed(t.args.Root))
		return
	}
	for member := range t.Size {
		from = append(from, t.board.Conveyed(member))
	}
	t.from = from
	if t.args.Kind.reduces() && t.args.Kind != Scan && t.args.Kind != Exscan {
		takeSum(t, to, from)
		return
	}
	for member, in := range from {
		copyShared(to[member*len(in):], in)
	}
}

// conveyed returns what the members have given, as take wants it; of a reduction the result alone.
func (t *Team) conveyed(l *board.Load) [][]byte {
	from, result := t.from[:0], t.board.Result()
	switch t.args.Kind {
	case Reduce, Allreduce, ReduceScatter:
		from = append(from, result)
	default:
		for member := range t.Size {
			switch l.From {
			case board.AllGive:
				from = append(from, result[member*l.Length:][:l.Length])
			case board.AllKeep:
				from = append(from, t.board.Conveyed(member))
			default:
				from = append(from, result)
			}
		}
	}
	t.from = from
	return from
}
