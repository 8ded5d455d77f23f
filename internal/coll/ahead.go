package coll

import (
	"slices"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/coll/board"
	"github.com/gopvas/gopvas/internal/coll/board/line"
	"github.com/gopvas/gopvas/internal/coll/cad"
)

// Calls in which a member may go on when its data is in place: the root of a broadcast and of a scatter, the others of
// a gather and of a reduction. They go by the slots of the board. Each member waits only for data that it needs, or for
// a slot of its own.
//
// The first such calls of a team go by messages if it has no board yet. To make one all members wait for the first of
// them, who may wait elsewhere for a member that has gone ahead. A call in which all meet makes the board, or the call
// behind unmetCalls, in which each member waits for that once.

// unmetCalls is how many calls of a team go so. They are few: a board is faster.
const unmetCalls = 16

// ahead does the call. A member that has failed before gives its failure.
func ahead(t *Team) {
	failed := t.failure
	switch t.args.Kind {
	case Bcast:
		bcastAhead(t, &failed)
	case Scatter:
		scatterAhead(t, &failed)
	case Gather:
		gatherAhead(t, &failed)
	case Reduce:
		reduceAhead(t, &failed)
	}
}

// giveAhead gives some bytes, which pack puts in their place, and ends the call of a member that takes none. It returns
// false if the call has failed.
func giveAhead(t *Team, failed *cad.Failure, n int, to []int32, pack packer, at int) bool {
	b := t.board
	if failed.Fault != 0 {
		if !b.GiveFailure(failed, t.call, to) {
			return false
		}
	} else {
		data := b.Lend(n, to)
		if data == nil {
			return false
		}
		pack(t, at, data)
		line.WritesBytes(data)
		b.Give(t.call)
	}
	b.Pass(nil)
	return true
}

// packer writes the bytes that a member gives, from some byte or member on.
type packer func(t *Team, at int, data []byte)

// packOwn packs what this member sends from some byte on, and packBlocks what it sends to the members from one on.
func packOwn(t *Team, at int, data []byte) {
	own := t.args.Send.own()
	own.Pack(data, at)
}

func packBlocks(t *Team, first int, data []byte) {
	for i := range len(data) / t.size {
		part := t.args.Send.PartOf(first + i)
		part.Pack(data[i*t.size:][:t.size], 0)
	}
}

// fitsSlots tells whether a call of n bytes goes by slots.
func fitsSlots(t *Team, n int) bool {
	switch b := t.board; t.args.Kind {
	case Bcast:
		return b.Slotted(n)
	case Scatter:
		return n <= board.Eager && n <= b.PieceSize() && b.FitsPieces(n*t.Size)
	default:
		return n <= min(board.Eager, b.PieceSize())
	}
}

// boarded tells whether calls of the present kind and length may need the board. All members get the same answer: they
// have made the same calls, and were told of a board all or none.
func boarded(t *Team) bool {
	a := &t.args
	return t.board.Known() || t.turn > unmetCalls || !a.Kind.rooted() || a.Irregular ||
		t.Choice.Blocking[a.Kind] != "" || !fitsSlots(t, a.agreed())
}

// bcastAhead: a member that relays the bytes to others of its domain does that first.
func bcastAhead(t *Team, failed *cad.Failure) {
	b, root, buf := t.board, t.args.Root, t.args.Send.own()
	piece := b.PieceSize()
	for at, n := 0, buf.Len(); at < n && b.Enter(); at += piece {
		k := min(piece, n-at)
		from, to := b.Route(root)
		if t.Rank == root {
			if !giveAhead(t, failed, k, to, packOwn, at) {
				return
			}
			continue
		}
		data, sig, ok := b.Take(from, k)
		if !ok || len(to) > 0 && !relay(t, data, sig, to) {
			return
		}
		line.ReadsBytes(data)
		if b.Same(root, sig, t.call) {
			buf.Unpack(data, at)
		}
		b.Pass(b.Only(from))
	}
}

// relay gives others what this member has taken.
func relay(t *Team, data []byte, sig uint64, to []int32) bool {
	if f := t.board.Taken(sig); f.Fault != 0 {
		return t.board.GiveFailure(&f, sig, to)
	}
	own := t.board.Lend(len(data), to)
	if own == nil {
		return false
	}
	line.Copy(own, data)
	t.board.Give(sig)
	return true
}

// scatterAhead: a slot has the blocks of as many members as fit. The others pass that call.
func scatterAhead(t *Team, failed *cad.Failure) {
	a, b, n, root := &t.args, t.board, t.size, t.args.Root
	per := b.PieceSize() / n
	for first := 0; first < t.Size && b.Enter(); first += per {
		k := min(per, t.Size-first)
		switch at := t.Rank - first; {
		case t.Rank == root:
			if !giveAhead(t, failed, k*n, b.Others(), packBlocks, first) {
				return
			}
			continue
		case 0 <= at && at < k:
			data, sig, ok := b.Take(root, k*n)
			if !ok {
				return
			}
			line.ReadsBytes(data[at*n:][:n])
			if own := a.Recv.own(); b.Same(root, sig, t.call) {
				own.Unpack(data[at*n:][:n], 0)
			}
		}
		b.Pass(b.Only(root))
	}
	if t.Rank == root && !a.InPlace {
		own, part := a.Recv.own(), a.Send.PartOf(root)
		btl.Copy(&own, &part, 0, n)
	}
}

// gatherAhead: the root takes the blocks of the others in their order from its own place on.
func gatherAhead(t *Team, failed *cad.Failure) {
	a, b, n, root := &t.args, t.board, t.size, t.args.Root
	if !b.Enter() {
		return
	}
	if t.Rank != root {
		giveAhead(t, failed, n, b.Only(root), packOwn, 0)
		return
	}
	for distance := 1; distance < t.Size; distance++ {
		member := t.neighbour(distance)
		data, sig, ok := b.Take(member, n)
		if !ok {
			return
		}
		line.ReadsBytes(data)
		if part := a.Recv.PartOf(member); b.Same(member, sig, t.call) {
			part.Unpack(data, 0)
		}
	}
	if own, part := a.Send.own(), a.Recv.PartOf(root); !a.InPlace {
		btl.Copy(&part, &own, 0, n)
	}
	b.Pass(b.Others())
}

// reduceAhead: the root reads the vectors of all where they have left them, and combines them in their order.
func reduceAhead(t *Team, failed *cad.Failure) {
	a, b, n, root := &t.args, t.board, t.size, t.args.Root
	if !b.Enter() {
		return
	}
	if t.Rank != root {
		giveAhead(t, failed, n, b.Only(root), packOwn, 0)
		return
	}
	from, alike := slices.Grow(t.from[:0], t.Size)[:t.Size], failed.Fault == 0
	for distance := 1; distance < t.Size; distance++ {
		member := t.neighbour(distance)
		data, sig, ok := b.Take(member, n)
		if !ok {
			return
		}
		from[member], alike = data, b.Same(member, sig, t.call) && alike
	}
	if from[root], t.from = t.own(), from; alike {
		a.take(t, root, n, from)
	}
	from[root] = nil // it is the caller's
	b.Pass(b.Others())
}
