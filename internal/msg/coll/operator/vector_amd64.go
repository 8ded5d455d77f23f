package operator

import "github.com/gopvas/gopvas/internal/node/sys"

// Operators by vectors of 32 bytes: inout = inout op in, for n bytes, a multiple of 32 above 0. The results are those
// of the loops in kernels.go, bit by bit but for which NaN there is.

func addInt8(inout, in *byte, n int)
func addInt16(inout, in *byte, n int)
func addInt32(inout, in *byte, n int)
func addInt64(inout, in *byte, n int)
func addFloat32(inout, in *byte, n int)
func addFloat64(inout, in *byte, n int)
func multiplyInt16(inout, in *byte, n int)
func multiplyInt32(inout, in *byte, n int)
func multiplyFloat32(inout, in *byte, n int)
func multiplyFloat64(inout, in *byte, n int)
func minInt8(inout, in *byte, n int)
func minInt16(inout, in *byte, n int)
func minInt32(inout, in *byte, n int)
func minUint8(inout, in *byte, n int)
func minUint16(inout, in *byte, n int)
func minUint32(inout, in *byte, n int)
func maxInt8(inout, in *byte, n int)
func maxInt16(inout, in *byte, n int)
func maxInt32(inout, in *byte, n int)
func maxUint8(inout, in *byte, n int)
func maxUint16(inout, in *byte, n int)
func maxUint32(inout, in *byte, n int)
func andBits(inout, in *byte, n int)
func orBits(inout, in *byte, n int)
func xorBits(inout, in *byte, n int)
func multiplyInt8(inout, in *byte, n int)
func minInt64(inout, in *byte, n int)
func maxInt64(inout, in *byte, n int)
func minUint64(inout, in *byte, n int)
func maxUint64(inout, in *byte, n int)
func minFloat32(inout, in *byte, n int)
func minFloat64(inout, in *byte, n int)
func maxFloat32(inout, in *byte, n int)
func maxFloat64(inout, in *byte, n int)
func and8(inout, in *byte, n int)
func and16(inout, in *byte, n int)
func and32(inout, in *byte, n int)
func and64(inout, in *byte, n int)
func or8(inout, in *byte, n int)
func or16(inout, in *byte, n int)
func or32(inout, in *byte, n int)
func or64(inout, in *byte, n int)
func exclusiveOr8(inout, in *byte, n int)
func exclusiveOr16(inout, in *byte, n int)
func exclusiveOr32(inout, in *byte, n int)
func exclusiveOr64(inout, in *byte, n int)

// vector is one of them.
type vector func(inout, in *byte, n int)

// withVectors has the operators of a table use vectors where there are some. The loops do what
// is left over.
func (all *table) withVectors(element Element) {
	if !sys.HasAVX2() {
		return
	}
	for code, by := range vectors(element) {
		if by != nil {
			all[code] = byVectors(by, all[code])
		}
	}
}

// vectors returns the operators of a type that there are by vectors, by their codes.
func vectors(element Element) (all [Codes]vector) {
	switch element {
	case Float32:
		all[Sum], all[Prod], all[Min], all[Max] = addFloat32, multiplyFloat32, minFloat32, maxFloat32
	case Float64:
		all[Sum], all[Prod], all[Min], all[Max] = addFloat64, multiplyFloat64, minFloat64, maxFloat64
	case Complex64:
		all[Sum] = addFloat32
	case Complex128:
		all[Sum] = addFloat64
	case Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64:
		all = integerVectors(element)
		all[BAnd], all[BOr], all[BXor] = andBits, orBits, xorBits
	}
	return all
}

func integerVectors(element Element) (all [Codes]vector) {
	switch element {
	case Int8, Uint8:
		all[Sum], all[Prod], all[LAnd], all[LOr], all[LXor] = addInt8, multiplyInt8, and8, or8, exclusiveOr8
	case Int16, Uint16:
		all[Sum], all[Prod], all[LAnd], all[LOr], all[LXor] = addInt16, multiplyInt16, and16, or16, exclusiveOr16
	case Int32, Uint32:
		all[Sum], all[Prod], all[LAnd], all[LOr], all[LXor] = addInt32, multiplyInt32, and32, or32, exclusiveOr32
	case Int64, Uint64:
		all[Sum], all[LAnd], all[LOr], all[LXor] = addInt64, and64, or64, exclusiveOr64
	}
	switch element {
	case Int8:
		all[Min], all[Max] = minInt8, maxInt8
	case Int16:
		all[Min], all[Max] = minInt16, maxInt16
	case Int32:
		all[Min], all[Max] = minInt32, maxInt32
	case Int64:
		all[Min], all[Max] = minInt64, maxInt64
	case Uint8:
		all[Min], all[Max] = minUint8, maxUint8
	case Uint16:
		all[Min], all[Max] = minUint16, maxUint16
	case Uint32:
		all[Min], all[Max] = minUint32, maxUint32
	case Uint64:
		all[Min], all[Max] = minUint64, maxUint64
	}
	return all
}

func byVectors(vectors vector, rest func(inout, in []byte)) func(inout, in []byte) {
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
