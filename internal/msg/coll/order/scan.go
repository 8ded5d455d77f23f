package order

import (
	"math/bits"

	"github.com/gopvas/gopvas/internal/msg/coll/board/line"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
)

// Scan sets each result to T of the vectors up to its own, or with exclusive before its own: then the first stays as it
// is. Each vector and result has at least n bytes, a multiple of the size of an element. A result may be the
// same memory as the vector of its member, and has nothing else in common with any.
func (e *Evaluator) Scan(op *cad.Op, n int, results, from [][]byte, exclusive bool) {
	if n == 0 {
		return
	}
	deepest := bits.Len(uint(len(from))) // blocks, and one that is pushed
	length := e.reserve(op, deepest+3, n)
	for at := 0; at < n; at += length {
		x := scan{e: e, op: op, n: min(length, n-at), spare: deepest + 1}
		x.piece(results, from, at, exclusive)
	}
}

// scan is a Scan of a piece of the vectors.
type scan struct {
	e     *Evaluator
	op    *cad.Op
	n     int
	spare int // the first of three places for prefixes
}

func (x *scan) piece(results, from [][]byte, at int, exclusive bool) {
	e := x.e
	e.depth = 0
	before := e.place(x.spare+2, x.n)
	for i, vector := range from {
		x.add(vector[at:][:x.n]) // before its place is written
		result := results[i][at:][:x.n]
		switch {
		case !exclusive:
			e.prefix(x.op, result, x.spare)
			line.WritesBytes(result)
		case i > 0:
			line.Copy(result, before)
			fallthrough
		default:
			e.prefix(x.op, before, x.spare)
		}
	}
}

// add adds a member.
func (x *scan) add(in []byte) {
	e := x.e
	line.ReadsBytes(in)
	if top := e.depth - 1; top >= 0 && e.blocks[top].members == 1 {
		x.op.Apply(e.blocks[top].data, in)
		e.depth--
		e.push(x.op, e.blocks[top].data, 2)
		return
	}
	to := e.place(e.depth+1, x.n)
	copy(to, in)
	e.push(x.op, to, 1)
}
