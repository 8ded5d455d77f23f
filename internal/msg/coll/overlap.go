package coll

import (
	"errors"

	"github.com/gopvas/gopvas/btl"
)

// ErrTwice means that a call receives into some bytes twice.
var ErrTwice = errors.New("the receive buffer has the same memory twice, and may end with either value: " +
	"give displacements, or a datatype, that do not overlap")

// receivesOnce returns ErrTwice if a call does so. It is for calls that are checked.
func (t *Team) receivesOnce(a *Args) error {
	if !t.receives(a) {
		return nil
	}
	parts := []btl.Buffer{}
	switch a.Kind {
	case Gather, Allgather, Alltoall:
		for member := range t.Size {
			parts = append(parts, a.Recv.PartOf(member))
		}
	default:
		parts = append(parts, a.Recv.own())
	}
	if btl.Twice(parts...) {
		return ErrTwice
	}
	return nil
}

// overlapBlocks is how many blocks of each buffer disjoint compares.
const overlapBlocks = 8

// disjoint returns err, or, if that is nil, ErrOverlap if the call sends bytes that it receives into. It is for calls
// whose blocks differ in length or have layouts; overlap is for all others. Blocks of the two buffers may interleave,
// so it compares blocks. ErrOverlap is always right; nil may be wrong if there are more than overlapBlocks blocks.
func (t *Team) disjoint(a *Args, root bool, err error) error {
	if err != nil || !root || a.InPlace || !a.Irregular && !a.typed() {
		return err
	}
	if !a.typed() && !meets(a.Send.Data, a.Recv.Data) {
		return nil
	}
	var out, in [overlapBlocks]btl.Buffer
	sends := t.someBlocks(&a.Send, a.Kind == ReduceScatter || a.Kind == Scatter || a.Kind == Alltoall, &out)
	recvs := t.someBlocks(&a.Recv, a.Kind == Gather || a.Kind == Allgather || a.Kind == Alltoall, &in)
	for i := range sends {
		for j := range recvs {
			if sends[i].Meets(&recvs[j]) {
				return ErrOverlap
			}
		}
	}
	return nil
}

// someBlocks returns the first blocks of a buffer, beginning with this member's, or the only block of a buffer that is
// one piece.
func (t *Team) someBlocks(b *Buffer, blocks bool, into *[overlapBlocks]btl.Buffer) []btl.Buffer {
	if !blocks {
		into[0] = b.own()
		return into[:1]
	}
	n := min(t.Size, overlapBlocks)
	for i := range n {
		into[i] = b.PartOf(t.neighbour(i))
	}
	return into[:n]
}
