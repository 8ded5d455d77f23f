package coll

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// spread has the buffers of a trial be parts, most of them with layouts. d is the member's
// own. What is received is collected when the call is over.
func (x *trial) spread(d draw, size, me int) {
	x.text += ", parts"
	sends := x.Kind == Alltoall || x.Kind == Scatter && me == x.Root
	receives := x.Kind == Alltoall || x.Kind == Allgather || x.Kind == Gather && me == x.Root
	send, recv := x.Send, x.Recv
	given := x.Kind != Bcast && !(x.InPlace && !(x.Kind == Scatter && sends))
	if given || x.Kind == Bcast {
		x.Send = Buffer{Parts: d.parts(&send, size, sends)}
	}
	if x.Kind != Bcast && (x.Kind != Gather || receives) && !(x.InPlace && x.Kind == Scatter) {
		x.Recv = Buffer{Parts: d.parts(&recv, size, receives)}
	}
	result, into := &x.Recv, recv
	if x.Kind == Bcast {
		result, into = &x.Send, send
	}
	x.After = func() {
		x.taken = make([]byte, len(into.Data))
		for i := range result.Parts {
			to := x.taken
			if receives {
				start, length := into.block(i)
				to = x.taken[start:][:length]
			}
			result.Parts[i].Pack(to, 0)
		}
	}
}

// parts returns the memory of a buffer in parts: one, or one for each member.
func (d draw) parts(b *Buffer, size int, blocks bool) []btl.Buffer {
	if !blocks {
		return []btl.Buffer{d.part(b.Data)}
	}
	var parts []btl.Buffer
	for i := range size {
		parts = append(parts, d.part(b.Part(i)))
	}
	return parts
}

// part returns a buffer that has some bytes, one in each few, or as they are.
func (d draw) part(content []byte) btl.Buffer {
	n := int64(len(content))
	if n == 0 || d.IntN(3) == 0 {
		return btl.Buffer{Bytes: content}
	}
	length := 1 + d.Int64N(min(n, 40))
	count, stride := n/length, length+d.Int64N(5)
	rows, err := datatype.Vector(count, length, stride, datatype.Byte)
	if err != nil {
		panic(err)
	}
	rest := n - count*length
	t, err := datatype.Struct([]int64{1, rest}, []int64{0, count * stride}, []*datatype.Type{rows, datatype.Byte})
	if err != nil {
		panic(err)
	}
	l, err := t.Times(1)
	if err != nil {
		panic(err)
	}
	memory := make([]byte, count*stride+rest)
	b := btl.Buffer{Bytes: memory, Layout: &l, Base: sys.HeapAddr(memory)}
	b.Unpack(content, 0)
	return b
}
