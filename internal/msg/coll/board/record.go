package board

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/coll/board/line"
)

// partsUnit marks the layout of a buffer with parts.
const partsUnit = ^uint64(0)

// Blocks returns the layout of blocks of one length, or of counts and displacements in a unit.
func Blocks(block, unit int, counts, displs []int) Layout {
	return Layout{uint64(block), uint64(unit), numbersAddress(counts), numbersAddress(displs)}
}

// Parts returns the layout of a buffer with parts. refs keeps what the others read.
func Parts(parts []btl.Buffer, refs *[]btl.Ref) Layout {
	*refs = (*refs)[:0]
	for i := range parts {
		*refs = append(*refs, btl.RefTo(&parts[i]))
	}
	return Layout{unit: partsUnit, counts: refsAddress(*refs)}
}

// Block returns where a block starts, and its length; of a buffer without parts.
func (l *Layout) Block(i int) (start, length int) {
	line.Reads(l)
	if l.counts == 0 {
		return i * int(l.block), int(l.block)
	}
	return numberAt(l.displs, i) * int(l.unit), numberAt(l.counts, i) * int(l.unit)
}

// Sends returns what the member sends: its own piece, or its block for another member.
func (r *Record) Sends(member int, own bool) btl.Ref {
	return r.Send.ref(r.Source, r.Sent, member, own)
}

// Receives is Sends for where it receives.
func (r *Record) Receives(member int, own bool) btl.Ref {
	return r.Recv.ref(r.Result, r.Wanted, member, own)
}

// ref returns a block of a buffer, or all of it.
func (l *Layout) ref(place, length uint64, member int, own bool) btl.Ref {
	switch {
	case l.unit == partsUnit:
		return *refAt(l.counts, member)
	case own:
		return btl.Ref{Place: place, Length: length}
	}
	start, n := l.Block(member)
	return btl.Ref{Place: place + uint64(start), Length: uint64(n)}
}

// Record returns what a member says about its call, which all have arrived in.
func (b *Board) Record(member int) *Record {
	r := &b.slots[member].record
	line.Reads(&r.Source) // which is beside all else that is used for each unit
	return r
}
