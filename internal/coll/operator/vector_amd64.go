package operator

import "github.com/gopvas/gopvas/internal/sys"

// Sums and products by vectors of 32 bytes: inout = inout op in, for n bytes, a multiple of 32.
// The results are those of the loops in kernels.go, bit by bit but for which NaN is kept of two.

//go:noescape
func addInt8(inout, in *byte, n int)

//go:noescape
func addInt16(inout, in *byte, n int)

//go:noescape
func addInt32(inout, in *byte, n int)

//go:noescape
func addInt64(inout, in *byte, n int)

//go:noescape
func addFloat32(inout, in *byte, n int)

//go:noescape
func addFloat64(inout, in *byte, n int)

//go:noescape
func multiplyFloat32(inout, in *byte, n int)

//go:noescape
func multiplyFloat64(inout, in *byte, n int)

// withVectors has the operators of a table use vectors where there are some. The loops do what
// is left over.
func (all *table) withVectors(element Element) {
	if !sys.HasAVX2() {
		return
	}
	add, multiply := vectors(element)
	all[Sum], all[Prod] = byVectors(add, all[Sum]), byVectors(multiply, all[Prod])
}

// vectors returns what adds and multiplies elements of a type by vectors; nil: nothing does.
func vectors(element Element) (add, multiply func(inout, in *byte, n int)) {
	switch element {
	case Int8, Uint8:
		return addInt8, nil
	case Int16, Uint16:
		return addInt16, nil
	case Int32, Uint32:
		return addInt32, nil
	case Int64, Uint64:
		return addInt64, nil
	case Float32:
		return addFloat32, multiplyFloat32
	case Float64:
		return addFloat64, multiplyFloat64
	case Complex64:
		return addFloat32, nil
	case Complex128:
		return addFloat64, nil
	}
	return nil, nil
}

func byVectors(vectors func(inout, in *byte, n int), rest func(inout, in []byte)) func(inout, in []byte) {
	if vectors == nil {
		return rest
	}
	return func(inout, in []byte) {
		n := len(inout) &^ 31
		if n > 0 {
			_ = in[len(inout)-1] // the vectors check no bounds
			vectors(&inout[0], &in[0], n)
		}
		if n < len(inout) {
			rest(inout[n:], in[n:])
		}
	}
}
