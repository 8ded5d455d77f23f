package mpi

import (
	"reflect"
	"sync"

	"github.com/gopvas/gopvas/coll"
	"github.com/gopvas/gopvas/coll/cad"
)

// Names of operators, by which a rank that progresses the graph of another finds what it
// has to do (cad.Op.Name). They are of two kinds:
//
//   - The operators of this package have a number and a kind of elements. All programs
//     know them.
//   - A function that the program has declared at top level, and so captures nothing, lies
//     in the program's image. Ranks of the same program have it at the same distance from
//     any other, so the distance from one that both know is its name.
//
// A function that captures something has no name: only the rank itself can call it.

type opCode uint64

const (
	opSum opCode = iota
	opProd
	opMin
	opMax
	opMinLoc
	opMaxLoc
	opBAnd
	opBOr
	opBXor
	opLAnd
	opLOr
	opLXor
	opCodes
)

var opNames = [opCodes]string{"sum", "product", "minimum", "maximum", "minimum with location", "maximum with location",
	"bitwise and", "bitwise or", "bitwise xor", "logical and", "logical or", "logical xor"}

const (
	kindBits     = 8
	distanceBits = 40 // of a function; above it the size of its elements
	sizeLimit    = 1 << (63 - distanceBits)
)

// called gives an operator of this package its name.
func (o *Op[T]) called(code opCode) *Op[T] {
	t := reflect.TypeFor[T]()
	if code == opMinLoc || code == opMaxLoc {
		t = t.Field(0).Type
	}
	o.op.Name = cad.Common | uint64(code)<<kindBits | uint64(t.Kind())
	o.known = true
	return o
}

// named is get for graphs: it sees to it that an operator of the program has its name.
func (o *Op[T]) named() *coll.Op {
	if o != nil && !o.known {
		o.name.Do(func() { o.op.Name = functionName(o.of, o.op.Size) })
	}
	return o.get()
}

// describeOperator names an operator of this package by its name without cad.Common.
func describeOperator(name uint64) string {
	s, kind := "an operator", reflect.Kind(name&(1<<kindBits-1))
	if code := opCode(name >> kindBits); code < opCodes {
		s = opNames[code]
	}
	return s + " of " + kind.String()
}

// resolved has the functions of the operators of this package that were asked for.
var resolved sync.Map // by name

// resolveOperator returns this rank's function for a name, nil if it has none.
func resolveOperator(name uint64) func(inout, in []byte) {
	if f, ok := resolved.Load(name); ok {
		return f.(func(inout, in []byte))
	}
	var f func(inout, in []byte)
	if name&cad.Common == 0 {
		f = functionOf(name)
	} else {
		code := opCode(name &^ cad.Common >> kindBits)
		f = operatorsOf(reflect.Kind(name & (1<<kindBits - 1)))[code]
	}
	if f != nil {
		resolved.Store(name, f)
	}
	return f
}

// operatorsOf returns all operators for a kind of elements.
func operatorsOf(kind reflect.Kind) (all [opCodes]func(inout, in []byte)) {
	switch kind {
	case reflect.Bool:
		all[opLAnd], all[opLOr], all[opLXor] = LAnd().op.Apply, LOr().op.Apply, LXor().op.Apply
	case reflect.Int:
		ofIntegers[int](&all)
	case reflect.Int8:
		ofIntegers[int8](&all)
	case reflect.Int16:
		ofIntegers[int16](&all)
	case reflect.Int32:
		ofIntegers[int32](&all)
	case reflect.Int64:
		ofIntegers[int64](&all)
	case reflect.Uint:
		ofIntegers[uint](&all)
	case reflect.Uint8:
		ofIntegers[uint8](&all)
	case reflect.Uint16:
		ofIntegers[uint16](&all)
	case reflect.Uint32:
		ofIntegers[uint32](&all)
	case reflect.Uint64:
		ofIntegers[uint64](&all)
	case reflect.Uintptr:
		ofIntegers[uintptr](&all)
	case reflect.Float32:
		ofReals[float32](&all)
	case reflect.Float64:
		ofReals[float64](&all)
	case reflect.Complex64:
		ofNumbers[complex64](&all)
	case reflect.Complex128:
		ofNumbers[complex128](&all)
	}
	return all
}

func ofNumbers[T Number](all *[opCodes]func(inout, in []byte)) {
	all[opSum], all[opProd] = Sum[T]().op.Apply, Prod[T]().op.Apply
}

func ofReals[T Real](all *[opCodes]func(inout, in []byte)) {
	ofNumbers[T](all)
	all[opMin], all[opMax] = Min[T]().op.Apply, Max[T]().op.Apply
	all[opMinLoc], all[opMaxLoc] = MinLoc[T]().op.Apply, MaxLoc[T]().op.Apply
}

func ofIntegers[T Integer](all *[opCodes]func(inout, in []byte)) {
	ofReals[T](all)
	all[opBAnd], all[opBOr], all[opBXor] = BAnd[T]().op.Apply, BOr[T]().op.Apply, BXor[T]().op.Apply
}
