package operator

import "encoding/binary"

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

type real interface {
	integer | int | float32 | float64
}

type number interface {
	real | complex64 | complex128
}

// The loops of the operators. They take bytes: else there would be a type of function for each type of elements, with
// its description in every rank. The compiler makes no vector instructions of them, so a
// loop is as fast as its stores: one element per cycle, or a little more than a cycle for
// the conditions of min and max. Most have faster ones (vector_amd64.s).

func sum[T number](to, from []byte) {
	inout, in := views[T](to, from)
	for i := range inout {
		inout[i] += in[i]
	}
}

func product[T number](to, from []byte) {
	inout, in := views[T](to, from)
	for i := range inout {
		inout[i] *= in[i]
	}
}

func minimum[T real](to, from []byte) {
	inout, in := views[T](to, from)
	for i := range inout {
		inout[i] = min(inout[i], in[i])
	}
}

func maximum[T real](to, from []byte) {
	inout, in := views[T](to, from)
	for i := range inout {
		inout[i] = max(inout[i], in[i])
	}
}

// truth is 1 or 0.
func truth[T real](b bool) T {
	if b {
		return 1
	}
	return 0
}

func logicalAnd[T real](to, from []byte) {
	inout, in := views[T](to, from)
	for i := range inout {
		inout[i] = truth[T](inout[i] != 0 && in[i] != 0)
	}
}

func logicalOr[T real](to, from []byte) {
	inout, in := views[T](to, from)
	for i := range inout {
		inout[i] = truth[T](inout[i] != 0 || in[i] != 0)
	}
}

func logicalXor[T real](to, from []byte) {
	inout, in := views[T](to, from)
	for i := range inout {
		inout[i] = truth[T]((inout[i] != 0) != (in[i] != 0))
	}
}

// pair is a value and its index. C lays out a structure of the two alike.
type pair[V, I real] struct {
	value V
	index I
}

// minLocation takes the smaller value with its index; of equal ones the lower index.
func minLocation[V, I real](to, from []byte) {
	inout, in := views[pair[V, I]](to, from)
	for i := range inout {
		if a, b := &inout[i], &in[i]; b.value < a.value || b.value == a.value && b.index < a.index {
			*a = *b
		}
	}
}

// maxLocation takes the greater value with its index; of equal ones the lower index.
func maxLocation[V, I real](to, from []byte) {
	inout, in := views[pair[V, I]](to, from)
	for i := range inout {
		if a, b := &inout[i], &in[i]; b.value > a.value || b.value == a.value && b.index < a.index {
			*a = *b
		}
	}
}

// What is done bit by bit does not depend on the type, and takes words of eight bytes.
// So do the logical operators of bytes that are 0 or 1.

func andBytes(inout, in []byte) {
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

func orBytes(inout, in []byte) {
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

func xorBytes(inout, in []byte) {
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
