package coll

import (
	"github.com/gopvas/gopvas/internal/coll/board"
	"github.com/gopvas/gopvas/internal/coll/cad"
	"github.com/gopvas/gopvas/internal/coll/order"
)

// Allreduce, ReduceScatter and the scans as graphs.

// graphAllreduceTree reduces to member 0 and broadcasts: twice the rounds of doubling, but
// each member sleeps twice at most.
func graphAllreduceTree(b *builder) {
	own, result := b.a.Send.Data, b.a.Recv.Data[:len(b.a.Send.Data)]
	var into []byte
	if b.t.Rank == 0 {
		into = result
	}
	_, done := b.up(own, into, 0)
	b.down(result, 0, done)
}

// graphAllreduceDoubling: after round i each member has the result of its block of 2^(i+1) members. The halves of a
// block exchange theirs; the members of a shorter right half serve several.
func graphAllreduceDoubling(b *builder) {
	t := b.t
	n := len(b.a.Send.Data)
	result := b.a.Recv.Data[:n]
	sum, done := result, b.copy(result, b.a.Send.Data)
	for half := 1; half < t.Size; half *= 2 {
		h := order.At(t.Rank, half, t.Size)
		if !h.Meet() {
			continue
		}
		in := make([]byte, n)
		nodes := []cad.Node{b.recv(in, h.Partner())}
		h.Partners(func(member int) { nodes = append(nodes, b.send(sum, member, done)) })
		nodes = append(nodes, done)
		if !h.Left() {
			sum, in = in, sum
		}
		done = b.calc(sum, in, nodes...)
	}
	b.copy(result, sum, done)
}

// graphAllreduceShares: each member combines a share of the vectors, and sends it to all
// others. Each moves about twice the vector, as in a ring, but the way of a share is two
// copies long.
func graphAllreduceShares(b *builder) {
	t, size := b.t, b.a.Op.Size
	n := len(b.a.Send.Data)
	part := func(vector []byte, member int) []byte {
		return vector[board.ShareAt(n/size, member, t.Size)*size : board.ShareAt(n/size, member+1, t.Size)*size]
	}
	sent := make([]cad.Node, t.Size) // then the share may be overwritten
	for d := 1; d < t.Size; d++ {
		to := t.neighbour(d)
		sent[to] = b.sendBlock(part(b.a.Send.Data, to), to)
	}
	own, result := part(b.a.Send.Data, t.Rank), part(b.a.Recv.Data, t.Rank)
	for from, to := range b.pieces(len(own)) {
		done := b.combine(result[from:to:to], own[from:to])
		for d := 1; d < t.Size; d++ {
			b.send(result[from:to:to], t.neighbour(d), done)
		}
	}
	for d := 1; d < t.Size; d++ {
		from := t.neighbour(-d)
		b.recvBlock(part(b.a.Recv.Data, from), from, sent[from])
	}
}

// graphReduceScatterTree reduces to member 0, which sends each member its block.
func graphReduceScatterTree(b *builder) {
	t, a := b.t, &b.a
	sum, done := b.up(a.Send.Data, nil, 0)
	if t.Rank != 0 {
		b.recv(a.Recv.Data[:len(a.Send.Part(t.Rank))], 0, done)
		return
	}
	for member := range t.Size {
		if start, n := a.Send.block(member); member == 0 {
			b.copy(a.Recv.Data, sum[start:][:n], done)
		} else {
			b.send(sum[start:][:n], member, done)
		}
	}
}

// graphReduceScatter: each member gets its own block of all vectors, and combines them.
func graphReduceScatter(b *builder) {
	t := b.t
	b.whole = false // what has come is combined while it is in the cache
	for d := 1; d < t.Size; d++ {
		to := t.neighbour(d)
		b.sendBlock(b.a.Send.Part(to), to)
	}
	own := b.a.Send.Part(t.Rank)
	for from, to := range b.pieces(len(own)) {
		b.combine(b.a.Recv.Data[from:to:to], own[from:to])
	}
}

// combine combines what all other members send of a piece with this member's own. It keeps a stack of blocks, as
// order.Evaluator does, of which the first lies in the sum.
func (b *builder) combine(sum, own []byte) (done cad.Node) {
	if b.t.Rank == 0 && b.t.Size == 2 && b.a.Op.Symmetric { // the same with a copy less
		own, done = b.preserve(own, sum)
		return b.calc(sum, own, b.recv(sum, 1, done))
	}
	if b.t.Rank != 0 {
		own, done = b.preserve(own, sum)
	}
	stack, members := [][]byte{sum}, []int{} // those below depth are in use
	for member := range b.t.Size {
		depth := len(members)
		if odd := member%2 != 0; odd {
			done = b.take(stack[depth-1], own, member, done)
			members[depth-1]++
		} else {
			if depth == len(stack) {
				stack = append(stack, make([]byte, len(sum)))
			}
			done = b.lay(stack[depth], own, member, done)
			members = append(members, 1)
		}
		for last := len(members) - 1; last > 0 && (member == b.t.Size-1 || members[last] == members[last-1]); last-- {
			done = b.calc(stack[last-1], stack[last], done)
			members[last-1] += members[last]
			members = members[:last]
		}
	}
	return done
}

// lay has what a member gives come to lie in a place, and take has it combined with what is there.

func (b *builder) lay(place, own []byte, member int, after cad.Node) cad.Node {
	if member == b.t.Rank {
		return b.copy(place, own, after)
	}
	return b.recv(place, member, after)
}

func (b *builder) take(place, own []byte, member int, after cad.Node) cad.Node {
	if member == b.t.Rank {
		return b.calc(place, own, after)
	}
	return b.fold(place, member, after)
}

// preserve returns a buffer that will not be overwritten by the result.
func (b *builder) preserve(own, result []byte) ([]byte, cad.Node) {
	if !same(own, result) {
		return own, cad.Start
	}
	copied := make([]byte, len(own))
	return copied, b.copy(copied, own)
}

// graphScan: after round i each member has the result of its block of 2^(i+1) members, as long as there are members
// behind that need it, and that of the members of the block up to itself, or before itself. A vector that a node has
// written is not written again.
func graphScan(b *builder) {
	t := b.t
	type partial struct {
		data []byte
		done cad.Node
	}
	prepend := func(in, to partial) partial {
		sum := make([]byte, len(in.data))
		return partial{sum, b.calc(sum, to.data, to.done, b.copy(sum, in.data, in.done))}
	}
	b.segments(func(own, result []byte) {
		block := partial{data: own}
		var prefix partial
		if b.a.Kind == Scan {
			prefix = block
		}
		var sent []cad.Node
		for half := 1; half < t.Size; half *= 2 {
			h := order.At(t.Rank, half, t.Size)
			if !h.Meet() {
				continue
			}
			if more := h.More(t.Size); h.Left() {
				h.Partners(func(member int) { sent = append(sent, b.send(block.data, member, block.done)) })
				if more {
					sum := make([]byte, len(own))
					block = partial{sum, b.fold(sum, h.Partner(), b.copy(sum, block.data, block.done))}
				}
			} else {
				in := partial{data: make([]byte, len(own))}
				in.done = b.recv(in.data, h.Partner())
				if more {
					sent = append(sent, b.send(block.data, h.Partner(), block.done))
				}
				alike := same(prefix.data, block.data)
				if prefix.data == nil {
					prefix = in
				} else {
					prefix = prepend(in, prefix)
				}
				switch {
				case more && alike:
					block = prefix
				case more:
					block = prepend(in, block)
				}
			}
		}
		if prefix.data != nil {
			b.copy(result, prefix.data, append(sent, prefix.done, block.done)...)
		}
	})
}
