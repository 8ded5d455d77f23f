package order

import (
	"math/bits"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
)

// Each member of a scan gives one vector, that of the longest aligned block that ends at it, once it has what comes
// before it in this block. The blocks of a prefix are the longest that end at some members: those take as many vectors
// as their number has bits, and P/2*log2(P) move in all. A member waits for lower ones alone.

// Givers returns the members that give a member of a scan what lies before it, the nearest first. Its own vector and
// those of the first so many make the one that it gives.
func Givers(member int) (givers []int32, within int) {
	for half := 1; half <= member; half *= 2 {
		if member&half != 0 {
			givers = append(givers, int32(member&^(2*half-1)+half-1))
		}
	}
	return givers, bits.TrailingZeros(^uint(member))
}

// Takers returns how many members take what a member of a scan gives: those behind it.
func Takers(member, members int) int {
	return min(1<<bits.TrailingZeros(^uint(member)), members-member-1)
}

// Prefix sets sum to T of a prefix, of which it has the blocks in the order of their members. Each has at least the
// length of the sum, a multiple of the size of an element. The sum is no part of them.
func (e *Evaluator) Prefix(op *cad.Op, sum []byte, blocks [][]byte) {
	if len(blocks) <= 2 || op.Exact {
		reduceInTurn(op, sum, blocks)
		return
	}
	length := e.reserve(op, 2, len(sum))
	for at := 0; at < len(sum); at += length {
		to := sum[at:min(at+length, len(sum))]
		for i := range blocks {
			e.blocks[i].data = blocks[i][at:][:len(to)]
		}
		e.depth = len(blocks)
		e.prefix(op, to, 1)
	}
	clear(e.blocks[:len(blocks)]) // they are the caller's
}

// prefix combines the blocks, from the last on, and keeps them. It needs two places, from spare on.
func (e *Evaluator) prefix(op *cad.Op, to []byte, spare int) {
	right := e.blocks[e.depth-1].data
	for i := e.depth - 2; i >= 0; i-- {
		sum := to
		if i > 0 {
			sum = e.place(spare+i%2, len(to))
		}
		copy(sum, e.blocks[i].data)
		op.Apply(sum, right)
		right = sum
	}
	if e.depth == 1 {
		copy(to, right)
	}
}
