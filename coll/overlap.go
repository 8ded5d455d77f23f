package coll

import "github.com/gopvas/gopvas/btl"

// overlapBlocks is how many blocks of a buffer are compared with those of the other one.
const overlapBlocks = 8

// disjoint returns err, and ErrOverlap if nothing else is wrong and the call sends bytes that it receives
// into. It is for calls whose blocks differ in length or have layouts; overlap is for all others. Blocks may
// interleave: so it compares the blocks and not the buffers, and is right if it says that they meet. With
// more blocks it looks at some.
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

// someBlocks returns blocks of a buffer, this member's first, or all of a buffer that is one piece.
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
