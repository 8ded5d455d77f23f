package coll

import (
	"github.com/gopvas/gopvas/internal/msg/coll/board"
	"github.com/gopvas/gopvas/internal/msg/coll/board/line"
)

// Calls of a team that has many members, or spans several domains of caches or memory. In short ones what the members
// give goes up the tree of the board, and the result down. Each domain then gets the lines that it needs once. The
// first member applies operators, in the one order, so the bits do not depend on where the members run. A long
// Allreduce over domains goes in two steps; all else shares work as in one domain.

// byDomains does the call.
func byDomains(t *Team) {
	if !t.conveyable(t.size) {
		t.allreduceByShares()
		return
	}
	l := t.load()
	t.conveys = true
	ok := t.board.Convey(l)
	t.conveys = false
	if !ok || t.args.Kind == Barrier {
		return
	}
	t.args.take(t, t.Rank, t.size, t.conveyed(&l))
}

// leastShared is the length from which two steps take less time than the lines that they spare.
const leastShared = 4 << 10

// fitsTree tells whether the members meet in a tree, and it is good for a call of n bytes. Two steps, and a Reduce in
// which all wait for all, save lines between domains alone: they need several.
func fitsTree(t *Team, n int) bool {
	kind, apart := t.args.Kind, t.board.Groups() != nil
	if kind == Allreduce && n >= leastShared && t.board.Direct && apart {
		return true
	}
	return t.board.Treed() && t.conveyable(n) && (apart || kind != Reduce)
}

// conveyable tells whether the tree can carry what a call of n bytes gives.
func (t *Team) conveyable(n int) bool {
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
		line.Copy(to, t.board.Conveyed(t.args.Root))
		return
	}
	for member := range t.Size {
		from = append(from, t.board.Conveyed(member))
	}
	t.from = from
	if t.args.Kind.reduces() {
		t.reduce(to, from)
		return
	}
	for member, in := range from {
		line.Copy(to[member*len(in):], in)
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

// allreduceByShares does an Allreduce in two steps: each member gets the result of a share, and then all get all
// shares. So a result crosses to each domain once. The member that has combined a piece would write it to the buffer
// of every other one.
func (t *Team) allreduceByShares() {
	a, n := t.args, t.size
	l := t.shares(n / a.Op.Size)
	l.Data, l.Unit = a.Recv.Data, a.Op.Size
	start, length := l.block(t.Rank)
	own := Buffer{Data: a.Recv.Data[start:][:length]}

	t.args = Args{Kind: ReduceScatter, Op: a.Op, Recv: own,
		Send: Buffer{Data: a.Send.Data, Counts: l.Counts, Displs: l.Displs, Unit: l.Unit}}
	t.board.Call()
	if t.broken == nil && t.failure.Fault == 0 {
		t.args, t.size = Args{Kind: Allgather, Irregular: true, Send: own, Recv: l}, 0
		t.board.Call()
	}
	t.args, t.size = a, n
}

// shares divides a number of elements among the members. What it returns is used again for the same number.
func (t *Team) shares(elements int) Buffer {
	if t.shared.Counts == nil || t.elements != elements {
		t.elements, t.shared = elements, Buffer{}
		for i := range t.Size {
			at := board.ShareAt(elements, i, t.Size)
			t.shared.Displs = append(t.shared.Displs, at)
			t.shared.Counts = append(t.shared.Counts, board.ShareAt(elements, i+1, t.Size)-at)
		}
	}
	return t.shared
}
