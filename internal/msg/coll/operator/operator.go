package operator

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
)

// Code tells operators apart.
type Code uint64

const (
	Sum Code = iota
	Prod
	Min
	Max
	MinLoc
	MaxLoc
	BAnd
	BOr
	BXor
	LAnd
	LOr
	LXor
	Codes // how many there are
)

var codeNames = [Codes]string{"sum", "product", "minimum", "maximum", "minimum with location", "maximum with location",
	"bitwise and", "bitwise or", "bitwise xor", "logical and", "logical or", "logical xor"}

// Element is a type of elements.
type Element uint64

const (
	Bool Element = iota // a byte that is 0 or 1
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float32
	Float64
	Complex64
	Complex128
	Extended        // the long double of the machine, in 16 bytes
	ComplexExtended // two of them

	// Pairs of a value and an index of 64 bits: those of mpi.Loc.
	LocInt8
	LocInt16
	LocInt32
	LocInt64
	LocUint8
	LocUint16
	LocUint32
	LocUint64
	LocFloat32
	LocFloat64

	// Pairs of C: a value and an int.
	PairInt16
	PairInt32
	PairInt64
	PairFloat32
	PairFloat64
	PairExtended

	// Pairs of Fortran: both are of the same type.
	TwoFloat32
	TwoFloat64

	// Numbers of 16 bytes, of Fortran.
	Int128
	Quad        // IEEE 754's binary128
	ComplexQuad // two of them

	Elements // how many there are
)

var elementNames = [Elements]string{"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
	"float32", "float64", "complex64", "complex128", "long double", "long double complex",
	"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
	"short and int", "int and int", "long and int", "float and int", "double and int", "long double and int",
	"two floats", "two doubles", "int128", "float128", "complex256"}

// elementBits is how many bits of a name are the element. The signature of a call has room for
// nameBits.
const (
	elementBits = 6
	nameBits    = 10
)

// made has the operators that were asked for.
var made [Codes][Elements]atomic.Pointer[cad.Op]

// Of returns the operator for elements of a type, nil if there is none.
func Of(code Code, element Element) *cad.Op {
	if code >= Codes || element >= Elements {
		return nil
	}
	if op := made[code][element].Load(); op != nil {
		return op
	}
	size, all := functions(element)
	if all[code] == nil {
		return nil
	}
	all.withVectors(element)
	made[code][element].CompareAndSwap(nil, &cad.Op{
		Size: size, Commutative: true, Exact: exact(code, element), Symmetric: symmetric(code, element),
		Apply: all[code], Four: fours(code, element),
		Name: cad.Common | uint64(code)<<elementBits | uint64(element),
	})
	return made[code][element].Load()
}

// exact tells whether the bits of a result do not depend on the order of the operands.
func exact(code Code, element Element) bool {
	return code >= BAnd || element <= Uint64 || element == Int128
}

// symmetric tells whether two operands may change places. A processor may round the sum of two products once less, in
// the product of complex numbers.
func symmetric(code Code, element Element) bool {
	switch element {
	case Float32, Float64, Extended, Quad:
		return code == Sum || code == Prod
	case Complex64, Complex128, ComplexExtended, ComplexQuad:
		return code == Sum
	}
	return exact(code, element)
}

// Resolve returns the function of an operator by its name, nil if there is none.
func Resolve(name uint64) func(inout, in []byte) {
	code, element := split(name)
	if op := Of(code, element); op != nil && op.Name == name {
		return op.Apply
	}
	return nil
}

// Describe names an operator in words; name may lack cad.Common.
func Describe(name uint64) string {
	code, element := split(name)
	if code >= Codes || element >= Elements {
		return "an operator that is not known"
	}
	return codeNames[code] + " of " + elementNames[element]
}

// CodeOf is the code of an operator by its name; Codes if the name is of another package.
func CodeOf(name uint64) Code {
	if code, element := split(name); name&cad.Common != 0 && code < Codes && element < Elements {
		return code
	}
	return Codes
}

func split(name uint64) (Code, Element) {
	return Code(name &^ cad.Common >> elementBits), Element(name & (1<<elementBits - 1))
}
