package coll

import (
	"slices"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/coll/board"
	"github.com/gopvas/gopvas/internal/msg/coll/board/line"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/coll/order"
)

// Calls in which a member may go on when its data is in place: the root of a broadcast and of a scatter, the others of
// a gather and of a reduction, and in scans each one that has what lower ranks give. They go by the slots of the board.
// Each member waits only for data that it needs, or for a slot of its own.
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
	case Scan, Exscan:
		scanAhead(t)
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
	return t.board.Known() || t.turn > unmetCalls || a.Kind.needsAll() || a.Irregular ||
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

// collectAhead: the others give n bytes each. The root has them taken in the order of members, from its own place on,
// each with whether that member makes the same call; they hold still until Pass. It returns true at the root if it has
// those of all.
func collectAhead(t *Team, failed *cad.Failure, take func(member int, data []byte, alike bool)) bool {
	b, n, root := t.board, t.size, t.args.Root
	if !b.Enter() {
		return false
	}
	if t.Rank != root {
		giveAhead(t, failed, n, b.Only(root), packOwn, 0)
		return false
	}
	for distance := 1; distance < t.Size; distance++ {
		member := t.neighbour(distance)
		data, sig, ok := b.Take(member, n)
		if !ok {
			return false
		}
		take(member, data, b.Same(member, sig, t.call))
	}
	return true
}

func gatherAhead(t *Team, failed *cad.Failure) {
	a := &t.args
	if !collectAhead(t, failed, func(member int, data []byte, alike bool) {
		line.ReadsBytes(data)
		if part := a.Recv.PartOf(member); alike {
			part.Unpack(data, 0)
		}
	}) {
		return
	}
	if own, part := a.Send.own(), a.Recv.PartOf(a.Root); !a.InPlace {
		btl.Copy(&part, &own, 0, t.size)
	}
	t.board.Pass(t.board.Others())
}

// reduceAhead: the root reads the vectors of all where they have left them, and combines them in their order.
func reduceAhead(t *Team, failed *cad.Failure) {
	a, root := &t.args, t.args.Root
	from, match := slices.Grow(t.from[:0], t.Size)[:t.Size], failed.Fault == 0
	t.from = from
	if !collectAhead(t, failed, func(member int, data []byte, alike bool) {
		from[member], match = data, match && alike
	}) {
		return
	}
	if from[root] = t.own(); match {
		a.take(t, root, t.size, from)
	}
	from[root] = nil // it is the caller's
	t.board.Pass(t.board.Others())
}

// scanAhead: a member takes what comes before it, from the nearest members on. It gives the block that ends at it as
// soon as it has that. So it waits for lower ranks alone, and none of these makes it wait for more. See package order
// for who gives what.
func scanAhead(t *Team) {
	a, b, n := &t.args, t.board, t.size
	if !b.Enter() {
		return
	}
	givers, within := t.givers(t.Rank)
	last := len(givers)
	from := slices.Grow(t.from[:0], last+1)[:last+1]
	from[last], t.from = t.own(), from
	blocks := from // of the result
	if a.Kind == Exscan {
		blocks = from[:last]
	}
	for i := 0; ; i++ {
		if i == within {
			block, ok := giveBlock(t, from[last-i:])
			if !ok {
				return
			}
			if a.Kind == Scan && block != nil {
				blocks = from[:last-i+1]
				blocks[last-i] = block
			}
		}
		if i == last {
			break
		}
		data, sig, ok := b.Take(int(givers[i]), n)
		if !ok {
			return
		}
		line.ReadsBytes(data)
		b.Same(int(givers[i]), sig, t.call)
		from[last-1-i] = data
	}
	if t.failure.Fault == 0 && len(blocks) > 0 {
		prefix(t, a.Recv.Data[:n], blocks)
	}
	clear(from) // some are the caller's, and others change now
	b.Pass(givers)
}

// giveBlock combines the block that ends at this member, and gives it to those that take it; nil: nobody does. It
// returns false if the call has failed. A member that knows of a failure gives that.
func giveBlock(t *Team, from [][]byte) (block []byte, ok bool) {
	b, n, takers := t.board, t.size, order.Takers(t.Rank, t.Size)
	if takers == 0 {
		return nil, true
	}
	block = from[0][:n]
	if len(from) > 1 && t.failure.Fault == 0 {
		block = t.temp(n)
		prefix(t, block, from)
	}
	to := b.Behind(t.Rank, takers)
	if t.failure.Fault != 0 {
		return block, b.GiveFailure(&t.failure, t.call, to)
	}
	data := b.Lend(n, to)
	if data == nil {
		return nil, false
	}
	line.Copy(data, block)
	b.Give(t.call)
	return block, true
}

// givers is order.Givers.
func (c *combining) givers(rank int) (givers []int32, within int) {
	if !c.asked {
		c.asked = true
		c.before, c.within = order.Givers(rank)
	}
	return c.before, c.within
}

// prefix combines blocks of a prefix in the one order.
func prefix(t *Team, sum []byte, blocks [][]byte) {
	defer t.noteOperator(&t.failure)
	t.order.Prefix(t.args.Op, sum, blocks)
}
