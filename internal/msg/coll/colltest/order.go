package colltest

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
)

// T combines vectors in the order of package order, in the most obvious way.
func T(op *cad.Op, vectors [][]byte) []byte {
	half := 1
	for 2*half < len(vectors) {
		half *= 2
	}
	if len(vectors) == 1 {
		return append([]byte{}, vectors[0]...)
	}
	sum := T(op, vectors[:half])
	op.Apply(sum, T(op, vectors[half:]))
	return sum
}

// Strict is an operator whose results tell any two orders apart.
var Strict = &cad.Op{Size: 8, Apply: func(inout, in []byte) {
	for i := 0; i < len(in); i += 8 {
		x := binary.NativeEndian.Uint64(inout[i:])*0x9e3779b97f4a7c15 + binary.NativeEndian.Uint64(in[i:])
		binary.NativeEndian.PutUint64(inout[i:], (x^x>>29)*0xbf58476d1ce4e5b9)
	}
}}

// Floats adds numbers of 8 bytes, as an operator of a program does.
var Floats = &cad.Op{Size: 8, Commutative: true, Apply: func(inout, in []byte) {
	for i := 0; i < len(in); i += 8 {
		a, b := binary.NativeEndian.Uint64(inout[i:]), binary.NativeEndian.Uint64(in[i:])
		binary.NativeEndian.PutUint64(inout[i:], math.Float64bits(math.Float64frombits(a)+math.Float64frombits(b)))
	}
}}

// Numbers returns n bytes of numbers of which no sum is exact.
func Numbers(random *rand.Rand, n int) []byte {
	b := make([]byte, (n+7)/8*8)
	for i := 0; i < len(b); i += 8 {
		x := math.Ldexp(random.Float64()-0.5, random.IntN(60)-30)
		binary.NativeEndian.PutUint64(b[i:], math.Float64bits(x))
	}
	return b[:n:n]
}
