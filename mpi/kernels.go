package mpi

import "encoding/binary"

// The loops of the operators. The compiler makes no vector instructions of them, so a
// loop is as fast as its stores: one element per cycle, or a little more than a cycle for
// the conditions of min and max.

func sumKernel[T Number](inout, in []T) {
	in = in[:len(inout)]
	for i := range inout {
		inout[i] += in[i]
	}
}

func prodKernel[T Number](inout, in []T) {
	in = in[:len(inout)]
	for i := range inout {
		inout[i] *= in[i]
	}
}

func minKernel[T Real](inout, in []T) {
	in = in[:len(inout)]
	for i := range inout {
		inout[i] = min(inout[i], in[i])
	}
}

func maxKernel[T Real](inout, in []T) {
	in = in[:len(inout)]
	for i := range inout {
		inout[i] = max(inout[i], in[i])
	}
}

// What is done bit by bit does not depend on the type, and takes words of eight bytes.
// So do the logical operators: a bool is a byte of 0 or 1.

func andKernel(inout, in []byte) {
	for len(inout) >= 32 && len(in) >= 32 {
		a, b := (*[32]byte)(inout), (*[32]byte)(in)
		for i := 0; i < 32; i += 8 {
			word.PutUint64(a[i:], word.Uint64(a[i:])&word.Uint64(b[i:]))
		}
		inout, in = inout[32:], in[32:]
	}
	in = in[:len(inout)]
	for i := range inout {
		inout[i] &= in[i]
	}
}

func orKernel(inout, in []byte) {
	for len(inout) >= 32 && len(in) >= 32 {
		a, b := (*[32]byte)(inout), (*[32]byte)(in)
		for i := 0; i < 32; i += 8 {
			word.PutUint64(a[i:], word.Uint64(a[i:])|word.Uint64(b[i:]))
		}
		inout, in = inout[32:], in[32:]
	}
	in = in[:len(inout)]
	for i := range inout {
		inout[i] |= in[i]
	}
}

func xorKernel(inout, in []byte) {
	for len(inout) >= 32 && len(in) >= 32 {
		a, b := (*[32]byte)(inout), (*[32]byte)(in)
		for i := 0; i < 32; i += 8 {
			word.PutUint64(a[i:], word.Uint64(a[i:])^word.Uint64(b[i:]))
		}
		inout, in = inout[32:], in[32:]
	}
	in = in[:len(inout)]
	for i := range inout {
		inout[i] ^= in[i]
	}
}

// word reads and writes words by one instruction.
var word = binary.NativeEndian
