package coll

import (
	"github.com/gopvas/gopvas/btl"
)

// Direct collectives: how the work of a call is cut into units, and what a unit does.
// A unit reads and writes the buffers of any members; no two units write the same
// bytes, and none reads bytes that another writes. The result does not depend on which
// member does which unit: operators are applied in the order of the members.

// plan says how the work is cut: rows x cols parts, each of at most length bytes. A
// unit has one piece of chunk bytes of one part, or group whole parts of a row.
type plan struct {
	cols, group, pieces, chunk, length int
	typed                              int // 1: some buffer has parts
}

const (
	copyChunk   = 64 << 10 // bytes that a unit copies: fits into the L2 cache
	reduceChunk = 16 << 10 // of each vector: so that the sum stays in the L1 cache
	leastPiece  = 4 << 10  // that is worth a unit of its own

	// typedCost is how much longer it takes about to copy a byte of a layout.
	typedCost = 8
)

// makePlan is for the last arriver: the records of all members are there. typed is 1 if some
// buffer has parts. It returns the number of units.
func (t *Team) makePlan(typed int) (p plan, units int) {
	length := t.longest()
	rows, cols, chunk := 1, 1, copyChunk
	switch t.args.Kind {
	case Barrier:
		return plan{}, 0
	case Bcast:
		chunk = max(copyChunk/t.Size, 4<<10)
	case Reduce, Allreduce, ReduceScatter, Scan, Exscan:
		chunk = reduceChunk / t.args.Op.Size * t.args.Op.Size
		if chunk == 0 {
			chunk = t.args.Op.Size
		}
	case Gather, Scatter:
		cols = t.Size
	case Allgather:
		cols, chunk = t.Size, max(copyChunk/t.Size, 4<<10)
	case Alltoall:
		rows, cols = t.Size, t.Size
	}
	if length == 0 {
		return plan{}, 0
	}
	if typed != 0 {
		chunk *= 4 // a row of a transpose takes 8 bytes of each cache line
	}
	p = plan{typed: typed, cols: cols, group: max(1, chunk/length), pieces: (length + chunk - 1) / chunk,
		chunk: chunk, length: length}
	p.group = min(p.group, cols)
	if typed == 0 && p.group == 1 {
		t.level(&p)
	}
	return p, rows * p.groups() * p.pieces
}

// level makes the pieces of a part equally long, and as many for each member if there is one part. Else a vector
// little longer than a piece takes as long as two of them.
func (t *Team) level(p *plan) {
	pieces := p.pieces
	if each := (pieces + t.Size - 1) / t.Size * t.Size; p.cols == 1 && pieces < 4*t.Size &&
		p.length/each >= leastPiece {
		pieces = each
	}
	unit := cacheLine
	if op := t.args.Op; op != nil && unit%op.Size != 0 {
		unit = op.Size
	}
	p.chunk = ((p.length+pieces-1)/pieces + unit - 1) / unit * unit
	p.pieces = (p.length + p.chunk - 1) / p.chunk
}

func (p *plan) groups() int { return (p.cols + p.group - 1) / p.group }

// longest returns the length of the longest part.
func (t *Team) longest() int {
	if !t.args.Irregular {
		return t.size
	}
	most := 0
	for i := range t.board.slots {
		most = max(most, int(t.board.slots[i].record.longest))
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
	p := &t.board.plan
	if p.typed != 0 {
		limit /= typedCost
	}
	total := units / p.pieces * p.group * p.length
	switch t.args.Kind {
	case Bcast, Allgather, Reduce, ReduceScatter:
		total *= t.Size
	case Allreduce, Scan, Exscan:
		total *= 2 * t.Size
	}
	return total <= limit
}

// unit does one unit.
func (t *Team) unit(i int) {
	p := t.board.plan
	piece := i % p.pieces
	i /= p.pieces
	row, first := i/p.groups(), i%p.groups()*p.group
	at := piece * p.chunk
	for col := first; col < min(first+p.group, p.cols); col++ {
		if p.typed != 0 {
			t.typedPiece(row, col, at, p.chunk)
			continue
		}
		switch t.args.Kind {
		case Bcast:
			t.bcastPiece(at, min(p.chunk, p.length-at))
		case Reduce, Allreduce, ReduceScatter:
			t.reducePiece(at, min(p.chunk, p.length-at))
		case Scan, Exscan:
			t.scanPiece(at, min(p.chunk, p.length-at))
		default:
			t.blockPiece(row, col, at, p.chunk)
		}
	}
}

func (t *Team) record(member int) *callRecord { return &t.board.slots[member].record }

// bcastPiece copies n bytes from at on to all but the root.
func (t *Team) bcastPiece(at, n int) {
	root := t.args.Root
	from := bytesAt(t.record(root).source+uint64(at), n)
	for i := range t.Size {
		if member := t.neighbour(i); member != root {
			copy(bytesAt(t.record(member).result+uint64(at), n), from)
		}
	}
}

// reducePiece combines n bytes from at on of all vectors, and puts the result where
// it is wanted.
func (t *Team) reducePiece(at, n int) {
	sum := t.temp(n)
	copy(sum, bytesAt(t.record(0).source+uint64(at), n))
	for member := 1; member < t.Size; member++ {
		t.apply(sum, bytesAt(t.record(member).source+uint64(at), n))
	}
	switch t.args.Kind {
	case Reduce:
		copy(bytesAt(t.record(t.args.Root).result+uint64(at), n), sum)
	case Allreduce:
		for i := range t.Size {
			copy(bytesAt(t.record(t.neighbour(i)).result+uint64(at), n), sum)
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
			copy(bytesAt(t.record(member).result+uint64(from-start), to-from), sum[from-at:to-at])
		}
	}
}

// scanPiece combines n bytes from at on and leaves the result so far at each member.
// Where a member's vectors are the same memory its own is read before it is written.
func (t *Team) scanPiece(at, n int) {
	buf := t.temp(2 * n)
	sum, own := buf[:n:n], buf[n:]
	for member := range t.Size {
		m := t.record(member)
		copy(own, bytesAt(m.source+uint64(at), n))
		result := bytesAt(m.result+uint64(at), n)
		if t.args.Kind == Exscan && member > 0 {
			copy(result, sum)
		}
		if member == 0 {
			copy(sum, own)
		} else {
			t.apply(sum, own)
		}
		if t.args.Kind == Scan {
			copy(result, sum)
		}
	}
}

// blockPiece copies a piece of a block between two members, or for Allgather from one
// to all. Columns begin beside the row, so that those who work on different rows read
// from different members.
func (t *Team) blockPiece(row, col, at, chunk int) {
	switch root := t.args.Root; t.args.Kind {
	case Gather:
		m, r := t.record(col), t.record(root)
		start, length := r.recv.blockOf(col)
		t.carry(col, root, region{m.source, int(m.sent)}, region{r.result + uint64(start), length}, at, chunk)
	case Scatter:
		r, m := t.record(root), t.record(col)
		start, length := r.send.blockOf(col)
		t.carry(root, col, region{r.source + uint64(start), length}, region{m.result, int(m.wanted)}, at, chunk)
	case Allgather:
		m := t.record(col)
		for i := range t.Size {
			member := t.neighbour(i)
			to := t.record(member)
			start, length := to.recv.blockOf(col)
			t.carry(col, member, region{m.source, int(m.sent)}, region{to.result + uint64(start), length}, at, chunk)
		}
	case Alltoall:
		from := (row + 1 + col) % t.Size
		s, r := t.record(from), t.record(row)
		start, length := s.send.blockOf(row)
		place, room := r.recv.blockOf(from)
		t.carry(from, row, region{s.source + uint64(start), length}, region{r.result + uint64(place), room}, at, chunk)
	}
}

// typedPiece is bcastPiece or blockPiece for a call in which some buffer has parts.
func (t *Team) typedPiece(row, col, at, chunk int) {
	root := t.args.Root
	switch t.args.Kind {
	case Bcast:
		for i := range t.Size {
			if member := t.neighbour(i); member != root {
				t.carryRef(root, member, t.record(root).sends(0, true), t.record(member).receives(0, true), at, chunk)
			}
		}
	case Gather:
		t.carryRef(col, root, t.record(col).sends(0, true), t.record(root).receives(col, false), at, chunk)
	case Scatter:
		t.carryRef(root, col, t.record(root).sends(col, false), t.record(col).receives(0, true), at, chunk)
	case Allgather:
		for i := range t.Size {
			member := t.neighbour(i)
			t.carryRef(col, member, t.record(col).sends(0, true), t.record(member).receives(col, false), at, chunk)
		}
	case Alltoall:
		from := (row + 1 + col) % t.Size
		t.carryRef(from, row, t.record(from).sends(row, false), t.record(row).receives(from, false), at, chunk)
	}
}

// sends returns what the member sends: its own piece, or its block for another member.
func (n *callRecord) sends(member int, own bool) btl.Ref {
	return n.send.ref(n.source, n.sent, member, own)
}

// receives is sends for where it receives.
func (n *callRecord) receives(member int, own bool) btl.Ref {
	return n.recv.ref(n.result, n.wanted, member, own)
}

// ref returns a block of a buffer, or all of it.
func (l *layout) ref(place, length uint64, member int, own bool) btl.Ref {
	switch {
	case l.unit == partsUnit:
		return *refAt(l.counts, member)
	case own:
		return btl.Ref{Place: place, Length: length}
	}
	start, n := l.blockOf(member)
	return btl.Ref{Place: place + uint64(start), Length: uint64(n)}
}

// partsUnit marks the layout of a buffer with parts.
const partsUnit = ^uint64(0)

// tell has others find the parts of a buffer, if it has any. refs keeps what they read.
func (l *layout) tell(b *Buffer, refs *[]btl.Ref) {
	if !b.typed() {
		return
	}
	*refs = (*refs)[:0]
	for i := range b.Parts {
		*refs = append(*refs, btl.RefTo(&b.Parts[i]))
	}
	*l = layout{unit: partsUnit, counts: refsAddress(*refs)}
}

// carryRef is carry for pieces that may have layouts.
func (t *Team) carryRef(from, to int, source, result btl.Ref, at, chunk int) {
	if !source.Typed() && !result.Typed() {
		t.carry(from, to, region{source.Place, int(source.Length)}, region{result.Place, int(result.Length)}, at, chunk)
		return
	}
	length, room := int(source.Length), int(result.Length)
	if length != room {
		t.misfit(from, to, length, room)
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
		t.misfit(from, to, source.length, result.length)
		source.length = min(source.length, result.length)
	}
	if n := min(source.length-at, chunk); n > 0 && source.place != result.place {
		copy(bytesAt(result.place+uint64(at), n), bytesAt(source.place+uint64(at), n))
	}
}
