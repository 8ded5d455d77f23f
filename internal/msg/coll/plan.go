package coll

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/coll/board"
	"github.com/gopvas/gopvas/internal/msg/coll/board/line"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
)

// Direct collectives: how the work of a call is cut into units, and what a unit does.
// A unit reads and writes the buffers of any members; no two units write the same
// bytes, and none reads bytes that another writes. The result does not depend on which
// member does which unit: operators are applied in the order of package order.

const (
	copyChunk   = 64 << 10 // bytes that a unit copies: fits into the L2 cache
	reduceChunk = 16 << 10 // of each vector: a few pieces of package order
	leastPiece  = 4 << 10  // that is worth a unit of its own

	lineSize = 64 // pieces end with a cache line

	// typedCost is how much longer it takes about to copy a byte of a layout.
	typedCost = 8
)

// makePlan is for the last arriver: the records of all members are there. typed is 1 if some
// buffer has parts. It returns the number of units.
func (t *Team) makePlan(typed int) (p board.Plan, units int) {
	length := t.longest()
	rows, cols, chunk := 1, 1, copyChunk
	switch t.args.Kind {
	case Barrier:
		return board.Plan{}, 0
	case Bcast:
		rows = t.groups()
		chunk = max(copyChunk*rows/t.Size, 4<<10)
	case Reduce, Allreduce, ReduceScatter, Scan, Exscan:
		chunk = reduceChunk / t.args.Op.Size * t.args.Op.Size
		if chunk == 0 {
			chunk = t.args.Op.Size
		}
	case Gather, Scatter:
		cols = t.Size
	case Allgather:
		rows, cols = t.groups(), t.Size
		chunk = max(copyChunk*rows/t.Size, 4<<10)
	case Alltoall:
		rows, cols = t.Size, t.Size
	}
	if length == 0 {
		return board.Plan{}, 0
	}
	if typed != 0 {
		chunk *= 4 // a row of a transpose takes 8 bytes of each cache line
	}
	p = board.Plan{Typed: typed, Cols: cols, Group: max(1, chunk/length), Pieces: (length + chunk - 1) / chunk,
		Chunk: chunk, Length: length}
	p.Group = min(p.Group, cols)
	if typed == 0 && p.Group == 1 {
		t.level(&p)
	}
	return p, rows * p.Groups() * p.Pieces
}

// level makes the pieces of a part equally long, and as many for each member if there is one part. Else a vector
// little longer than a piece takes as long as two of them.
func (t *Team) level(p *board.Plan) {
	pieces := p.Pieces
	if each := (pieces + t.Size - 1) / t.Size * t.Size; p.Cols == 1 && pieces < 4*t.Size &&
		p.Length/each >= leastPiece {
		pieces = each
	}
	unit := lineSize
	if op := t.args.Op; op != nil && unit%op.Size != 0 {
		unit = op.Size
	}
	p.Chunk = ((p.Length+pieces-1)/pieces + unit - 1) / unit * unit
	p.Pieces = (p.Length + p.Chunk - 1) / p.Chunk
}

// longest returns the length of the longest part.
func (t *Team) longest() int {
	if !t.args.Irregular {
		return t.size
	}
	most := 0
	for i := range t.Size {
		most = max(most, int(t.record(i).Longest))
	}
	return most
}

// solo tells whether the last arriver does the work alone. To share it costs two more cache
// misses if the others spin, and if they sleep, that they must be woken before the end.
func (t *Team) solo(units int) bool {
	if t.Size == 1 {
		return true
	}
	limit := t.Job.SoloLimit()
	p := t.board.Plan()
	if p.Typed != 0 {
		limit /= typedCost
	}
	total := units / p.Pieces * p.Group * p.Length
	switch t.args.Kind {
	case Bcast, Allgather:
		total = total / t.groups() * t.Size
	case Reduce, ReduceScatter:
		total *= t.Size
	case Allreduce, Scan, Exscan:
		total *= 2 * t.Size
	}
	return total <= limit
}

// unit does one unit.
func (t *Team) unit(i int) {
	p := *t.board.Plan()
	piece := i % p.Pieces
	i /= p.Pieces
	row, first := i/p.Groups(), i%p.Groups()*p.Group
	at := piece * p.Chunk
	for col := first; col < min(first+p.Group, p.Cols); col++ {
		if p.Typed != 0 {
			t.typedPiece(row, col, at, p.Chunk)
			continue
		}
		switch t.args.Kind {
		case Bcast:
			t.bcastPiece(row, at, min(p.Chunk, p.Length-at))
		case Reduce, Allreduce, ReduceScatter:
			t.reducePiece(at, min(p.Chunk, p.Length-at))
		case Scan, Exscan:
			t.scanPiece(at, min(p.Chunk, p.Length-at))
		default:
			t.blockPiece(row, col, at, p.Chunk)
		}
	}
}

func (t *Team) record(member int) *board.Record { return t.board.Record(member) }

// groups returns how many groups of members receive what one sends to all: those of a domain get it from one another's
// caches.
func (t *Team) groups() int { return max(1, len(t.board.Groups())) }

// group returns the number of members of a group, and receiver one of them, at a distance.
func (t *Team) group(row int) (size int) {
	if g := t.board.Groups(); g != nil {
		return len(g[row])
	}
	return t.Size
}

func (t *Team) receiver(row, distance int) int {
	if t.board.Groups() != nil {
		return t.inGroup(row, distance)
	}
	return t.neighbour(distance)
}

// inGroup is apart, so that receiver is short where there is one group.
//
//go:noinline
func (t *Team) inGroup(row, distance int) int {
	g := t.board.Groups()[row]
	return int(g[(t.Rank+distance)%len(g)])
}

// bcastPiece copies n bytes from at on to all members of a group but the root.
func (t *Team) bcastPiece(row, at, n int) {
	root := t.args.Root
	from := cad.BytesAt(t.record(root).Source+uint64(at), n)
	for i := range t.group(row) {
		if member := t.receiver(row, i); member != root {
			line.Copy(cad.BytesAt(t.record(member).Result+uint64(at), n), from)
		}
	}
}

// reducePiece combines n bytes from at on of all vectors, and puts the result where
// it is wanted.
func (t *Team) reducePiece(at, n int) {
	sum := t.temp(n)
	t.reduce(sum, sources(t, at, n))
	clear(t.from) // of the program
	switch t.args.Kind {
	case Reduce:
		line.Copy(cad.BytesAt(t.record(t.args.Root).Result+uint64(at), n), sum)
	case Allreduce:
		for i := range t.Size {
			line.Copy(cad.BytesAt(t.record(t.neighbour(i)).Result+uint64(at), n), sum)
		}
	default:
		t.deal(at, sum)
	}
}

// deal gives each member what is its own of a piece of the result.
func (t *Team) deal(at int, sum []byte) {
	for member := range t.Size {
		start, length := t.args.Send.block(member)
		from, to := max(start, at), min(start+length, at+len(sum))
		if from < to {
			line.Copy(cad.BytesAt(t.record(member).Result+uint64(from-start), to-from), sum[from-at:to-at])
		}
	}
}

// sources are n bytes from at on of all vectors.
func sources(t *Team, at, n int) [][]byte {
	t.from = t.from[:0]
	for member := range t.Size {
		t.from = append(t.from, cad.BytesAt(t.record(member).Source+uint64(at), n))
	}
	return t.from
}

// scanPiece combines n bytes from at on and leaves the result so far at each member.
func (t *Team) scanPiece(at, n int) {
	t.into = t.into[:0]
	for member := range t.Size {
		t.into = append(t.into, cad.BytesAt(t.record(member).Result+uint64(at), n))
	}
	defer t.noteOperator(&t.failure)
	t.order.Scan(t.args.Op, n, t.into, sources(t, at, n), t.args.Kind == Exscan)
	clear(t.from)
	clear(t.into)
}

// blockPiece copies a piece of a block between two members, or for Allgather from one
// to a group. Columns begin beside the row, so that those who work on different rows read
// from different members.
func (t *Team) blockPiece(row, col, at, chunk int) {
	switch root := t.args.Root; t.args.Kind {
	case Gather:
		m, r := t.record(col), t.record(root)
		start, length := r.Recv.Block(col)
		t.carry(col, root, region{m.Source, int(m.Sent)}, region{r.Result + uint64(start), length}, at, chunk)
	case Scatter:
		r, m := t.record(root), t.record(col)
		start, length := r.Send.Block(col)
		t.carry(root, col, region{r.Source + uint64(start), length}, region{m.Result, int(m.Wanted)}, at, chunk)
	case Allgather:
		m := t.record(col)
		for i := range t.group(row) {
			member := t.receiver(row, i)
			to := t.record(member)
			start, length := to.Recv.Block(col)
			t.carry(col, member, region{m.Source, int(m.Sent)}, region{to.Result + uint64(start), length}, at, chunk)
		}
	case Alltoall:
		from := (row + 1 + col) % t.Size
		s, r := t.record(from), t.record(row)
		start, length := s.Send.Block(row)
		place, room := r.Recv.Block(from)
		t.carry(from, row, region{s.Source + uint64(start), length}, region{r.Result + uint64(place), room}, at, chunk)
	}
}

// typedPiece is bcastPiece or blockPiece for a call in which some buffer has parts.
func (t *Team) typedPiece(row, col, at, chunk int) {
	root := t.args.Root
	switch t.args.Kind {
	case Bcast:
		for i := range t.group(row) {
			if member := t.receiver(row, i); member != root {
				t.carryRef(root, member, t.record(root).Sends(0, true), t.record(member).Receives(0, true), at, chunk)
			}
		}
	case Gather:
		t.carryRef(col, root, t.record(col).Sends(0, true), t.record(root).Receives(col, false), at, chunk)
	case Scatter:
		t.carryRef(root, col, t.record(root).Sends(col, false), t.record(col).Receives(0, true), at, chunk)
	case Allgather:
		for i := range t.group(row) {
			member := t.receiver(row, i)
			t.carryRef(col, member, t.record(col).Sends(0, true), t.record(member).Receives(col, false), at, chunk)
		}
	case Alltoall:
		from := (row + 1 + col) % t.Size
		t.carryRef(from, row, t.record(from).Sends(row, false), t.record(row).Receives(from, false), at, chunk)
	}
}

// carryRef is carry for pieces that may have layouts.
func (t *Team) carryRef(from, to int, source, result btl.Ref, at, chunk int) {
	if !source.Typed() && !result.Typed() {
		t.carry(from, to, region{source.Place, int(source.Length)}, region{result.Place, int(result.Length)}, at, chunk)
		return
	}
	length, room := int(source.Length), int(result.Length)
	if length != room {
		t.board.Misfit(from, to, length, room)
	}
	n := min(min(length, room)-at, chunk)
	if n <= 0 || source == result { // in place
		return
	}
	btl.CopyRef(&result, &source, at, n)
}

// region is memory of a member.
type region struct {
	place  uint64
	length int
}

// carry copies the bytes from at on, at most chunk, of a block that a member sends.
func (t *Team) carry(from, to int, source, result region, at, chunk int) {
	if source.length != result.length {
		t.board.Misfit(from, to, source.length, result.length)
		source.length = min(source.length, result.length)
	}
	if n := min(source.length-at, chunk); n > 0 && source.place != result.place {
		line.Copy(cad.BytesAt(result.place+uint64(at), n), cad.BytesAt(source.place+uint64(at), n))
	}
}
