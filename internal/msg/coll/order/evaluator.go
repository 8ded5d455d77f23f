package order

import (
	"math/bits"

	"github.com/gopvas/gopvas/internal/msg/coll/board/line"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
)

// Evaluator combines vectors that lie in memory, and has room for that, which is used again. The zero value is ready
// for use, by one goroutine at a time.
type Evaluator struct {
	memory []byte
	stack
}

// stack has blocks of members, each combined and longer than the next.
type stack struct {
	blocks [mostBlocks]block
	depth  int
	stride int // between places of blocks
}

type block struct {
	data    []byte
	members int
}

const (
	mostBlocks = 20       // more than any number of members has bits
	piece      = 8 << 10  // of vectors, if the stack is shallow
	leastPiece = 4 << 10  // else
	shallow    = 16 << 10 // bytes of a stack of long pieces
	lineSize   = 64
)

// Reduce sets sum to T of the vectors, of which each has at least its length, a multiple of the size of an element. The
// sum is no part of them. Without vectors it stays as it is.
func (e *Evaluator) Reduce(op *cad.Op, sum []byte, from [][]byte) {
	switch {
	case len(from) == 0 || len(sum) == 0:
	case len(from) <= 2 || op.Exact:
		reduceInTurn(op, sum, from)
	default:
		n := e.reserve(op, bits.Len(uint(len(from)-1))-1, len(sum))
		for at := 0; at < len(sum); at += n {
			e.reducePiece(op, sum[at:min(at+n, len(sum))], from, at)
		}
	}
}

// reduceInTurn combines one vector after the other. That is T for two of them.
func reduceInTurn(op *cad.Op, sum []byte, from [][]byte) {
	line.Copy(sum, from[0][:len(sum)])
	for _, in := range from[1:] {
		in = in[:len(sum)]
		line.ReadsBytes(in)
		op.Apply(sum, in)
	}
}

// reserve makes room for so many blocks besides the first one, for vectors of n bytes. It returns the length of the
// pieces.
func (e *Evaluator) reserve(op *cad.Op, blocks, n int) int {
	length := piece
	if blocks*piece > shallow {
		length = leastPiece
	}
	length = min(max(length/op.Size, 1)*op.Size, n)
	e.stride = (length + lineSize - 1) / lineSize * lineSize
	if need := blocks * e.stride; len(e.memory) < need {
		e.memory = make([]byte, need)
	}
	return length
}

// place returns memory for n bytes of a block other than the first.
func (e *Evaluator) place(i, n int) []byte { return e.memory[(i-1)*e.stride:][:n] }

// reducePiece is Reduce for a piece of the vectors. The first block lies in the sum, which becomes that of all.
func (e *Evaluator) reducePiece(op *cad.Op, sum []byte, from [][]byte, at int) {
	e.depth = 0
	for i := 0; i < len(from); {
		to := sum
		if e.depth > 0 {
			to = e.place(e.depth, len(sum))
		}
		members := leaves(op, to, from[i:], at)
		i += members
		e.push(op, to, members)
	}
	for e.depth > 1 {
		e.join(op)
	}
	line.WritesBytes(sum)
	e.blocks[0].data = nil // it is the caller's
}

// leaves combines the next members as far as one step can: these begin a block of four.
func leaves(op *cad.Op, to []byte, from [][]byte, at int) (members int) {
	part := func(i int) []byte {
		in := from[i][at:][:len(to)]
		line.ReadsBytes(in)
		return in
	}
	switch {
	case op.Four != nil && len(from) >= 4:
		op.Four(to, part(0), part(1), part(2), part(3))
		return 4
	case len(from) >= 2:
		copy(to, part(0))
		op.Apply(to, part(1))
		return 2
	}
	copy(to, part(0))
	return 1
}

// push adds a block, and joins blocks that are halves of one. Two neighbours are, if they are equally long: blocks
// before them are longer, so the first of the two begins where a block of both does.
func (s *stack) push(op *cad.Op, data []byte, members int) {
	s.blocks[s.depth] = block{data, members}
	s.depth++
	for s.depth > 1 && s.blocks[s.depth-2].members == s.blocks[s.depth-1].members {
		s.join(op)
	}
}

// join combines the last two blocks.
func (s *stack) join(op *cad.Op) {
	s.depth--
	left, right := &s.blocks[s.depth-1], &s.blocks[s.depth]
	op.Apply(left.data, right.data)
	left.members += right.members
}
