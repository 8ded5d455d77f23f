package coll

import (
	"github.com/gopvas/gopvas/internal/msg/coll/board"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/coll/order"
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

// graphAllreduceDoubling: in each round the halves of a block exchange their results, and the blocks of the next round
// are twice as long. The members of a shorter right half serve several.
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

// partial is a vector that a node of a graph has made.
type partial struct {
	data []byte
	done cad.Node
	read bool // by another node: it is not written again
}

// graphScan: a member takes what comes before it, from the nearest members on, and gives the block that ends at it: see
// package order.
func graphScan(b *builder) {
	givers, within := order.Givers(b.t.Rank)
	takers := order.Takers(b.t.Rank, b.t.Size)
	b.segments(func(own, result []byte) {
		block, before := partial{data: own, read: true}, partial{read: true} // with this member, and without it
		sum := &block
		if b.a.Kind == Exscan {
			sum = &before
		}
		last := result // a place for the sum, if no other vector is written there
		if !b.a.Op.Symmetric || len(result) == 0 || same(own, result) {
			last = nil
		}
		near, far := givers[:within], givers[within:]
		for _, from := range near {
			switch {
			case takers == 0 || sum == &block && len(far) == 0:
				*sum = b.prepend(last, int(from), *sum, len(own))
			case sum == &block:
				block = b.prepend(nil, int(from), block, len(own))
			default:
				block, before = b.prependBoth(int(from), block, before)
			}
		}
		var sent []cad.Node
		for to := b.t.Rank + 1; to <= b.t.Rank+takers; to++ {
			sent = append(sent, b.send(block.data, to, block.done))
			block.read = true
		}
		for _, from := range far {
			*sum = b.prepend(last, int(from), *sum, len(own))
		}
		if sum.data != nil {
			b.copy(result, sum.data, append(sent, sum.done, block.done)...)
		}
	})
}

// prepend has the n bytes that a member gives combined with what comes after them, if that has any data. What is read
// by others stays: the result lies in a place then, nil stands for a new one.
func (b *builder) prepend(place []byte, from int, to partial, n int) partial {
	if !to.read && b.a.Op.Symmetric {
		to.done = b.fold(to.data, from, to.done)
		return to
	}
	if place == nil {
		place = make([]byte, n)
	}
	done := b.recv(place, from)
	if to.data != nil {
		done = b.calc(place, to.data, to.done, done)
	}
	return partial{data: place, done: done}
}

// prependBoth is prepend for two vectors.
func (b *builder) prependBoth(from int, one, other partial) (partial, partial) {
	in := b.prepend(nil, from, partial{read: true}, len(one.data))
	sum := make([]byte, len(one.data))
	one = partial{data: sum, done: b.calc(sum, one.data, one.done, b.copy(sum, in.data, in.done))}
	if other.data != nil {
		in.done = b.calc(in.data, other.data, other.done, one.done)
	}
	in.read = true // by the copy
	return one, in
}
