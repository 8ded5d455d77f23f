package coll

import (
	"github.com/gopvas/gopvas/internal/coll/board"
	"github.com/gopvas/gopvas/internal/coll/cad"
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

// graphAllreduceDoubling: after round i each member has the result of a run of 2^(i+1)
// members, which it got by exchanging with the neighbouring run. If the number of members
// is no power of two, some of the first join with a neighbour beforehand. Runs stay in the
// order of the members, so any associative operator will do.
func graphAllreduceDoubling(b *builder) {
	t := b.t
	n := len(b.a.Send.Data)
	own, result := b.a.Send.Data, b.a.Recv.Data[:n]
	power := 1
	for power*2 <= t.Size {
		power *= 2
	}
	extra := t.Size - power // pairs that join
	me := t.Rank - extra
	if t.Rank < 2*extra && t.Rank%2 != 0 {
		b.recv(result, t.Rank-1, b.send(own, t.Rank-1))
		return
	}
	sum, done := result, b.copy(result, own)
	if t.Rank < 2*extra {
		done = b.fold(sum, t.Rank+1, done)
		me = t.Rank / 2
	}
	for mask := 1; mask < power; mask *= 2 {
		other := me ^ mask
		peer := other + extra
		if other < extra {
			peer = other * 2
		}
		in := make([]byte, n)
		sent, received := b.send(sum, peer, done), b.recv(in, peer)
		if other < me {
			sum, in = in, sum
		}
		done = b.calc(sum, in, sent, received)
	}
	done = b.copy(result, sum, done)
	if t.Rank < 2*extra {
		b.send(result, t.Rank+1, done)
	}
}

// graphAllreduceShares: each member combines a share of the vectors, and sends it to all
// others. Each moves about twice the vector, as in a ring, but the way of a share is two
// copies long, and operators are applied in the order of the members.
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

// combine combines what all other members send of a piece with this member's own, in the
// order of the members.
func (b *builder) combine(sum, own []byte) (done cad.Node) {
	if b.t.Rank == 0 && b.t.Size == 2 && b.a.Op.Commutative { // the same with a copy less
		own, done = b.preserve(own, sum)
		return b.calc(sum, own, b.recv(sum, 1, done))
	}
	if b.t.Rank == 0 {
		done = b.copy(sum, own)
	} else {
		own, done = b.preserve(own, sum)
		done = b.recv(sum, 0, done)
	}
	for member := 1; member < b.t.Size; member++ {
		if member == b.t.Rank {
			done = b.calc(sum, own, done)
			continue
		}
		done = b.fold(sum, member, done)
	}
	return done
}

// preserve returns a buffer that will not be overwritten by the result.
func (b *builder) preserve(own, result []byte) ([]byte, cad.Node) {
	if !same(own, result) {
		return own, cad.Start
	}
	copied := make([]byte, len(own))
	return copied, b.copy(copied, own)
}

// graphScanChain: each member adds its own to what comes from the one before it.
func graphScanChain(b *builder) {
	t := b.t
	b.segments(func(own, result []byte) {
		if t.Rank == 0 {
			if t.Size > 1 {
				b.send(own, 1)
			}
			if b.a.Kind == Scan {
				b.copy(result, own)
			}
			return
		}
		own, done := b.preserve(own, result)
		done = b.recv(result, t.Rank-1, done)
		sum := result
		if b.a.Kind == Exscan && t.Rank+1 < t.Size {
			sum = make([]byte, len(own))
			done = b.copy(sum, result, done)
		}
		if b.a.Kind == Scan || t.Rank+1 < t.Size {
			done = b.calc(sum, own, done)
		}
		if t.Rank+1 < t.Size {
			b.send(sum, t.Rank+1, done)
		}
	})
}

// graphScanDoubling: after round i sum is the result of this member and the 2^(i+1)-1
// before it, and before is the same without this member.
func graphScanDoubling(b *builder) {
	t := b.t
	type partial struct {
		data []byte
		done cad.Node
	}
	sum, before := partial{b.a.Send.Data, cad.Start}, partial{}
	result := cad.Start // when it can be written to
	prepend := func(p *partial, in []byte, there cad.Node) {
		left := make([]byte, len(in))
		p.done = b.calc(left, p.data, p.done, b.copy(left, in, there))
		p.data = left
	}
	for d := 1; d < t.Size; d *= 2 {
		if to := t.Rank + d; to < t.Size {
			result = b.join([]cad.Node{result, b.send(sum.data, to, sum.done)})
		}
		if t.Rank < d {
			continue
		}
		in := make([]byte, len(sum.data))
		there := b.recv(in, t.Rank-d)
		prepend(&sum, in, there) // what came is of lower members: it goes in front
		if before.data == nil {
			before = partial{in, there}
		} else {
			prepend(&before, in, there)
		}
	}
	switch {
	case b.a.Kind == Scan:
		b.copy(b.a.Recv.Data, sum.data, sum.done, result)
	case t.Rank > 0:
		b.copy(b.a.Recv.Data, before.data, before.done, sum.done, result)
	}
}
