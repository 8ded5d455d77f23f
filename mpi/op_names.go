package mpi

import (
	"fmt"
	"hash/fnv"
	"reflect"
	"sync"

	"github.com/gopvas/gopvas/coll/cad"
)

// Names of operators, by which a rank that progresses the graph of another finds what it
// has to do (coll.Op.Name). They are of two kinds:
//
//   - The operators of this package have a number and a kind of elements. All programs
//     know them.
//   - An operator of RegisterOp has a number that follows from its name and the type of its
//     elements. Ranks look for it only if they run the same build of the same program.
//
// An operator of NewOp has no name: only the rank itself can call it.

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

const kindBits = 8

// builtins are the operators of this package that were asked for: *Op[T] by the type T.
var builtins [opCodes]sync.Map

// builtin returns the operator of a code for elements of type T, which newOp makes the
// first time.
func builtin[T any](code opCode, newOp func() *Op[T]) *Op[T] {
	t := reflect.TypeFor[T]()
	if o, ok := builtins[code].Load(t); ok {
		return o.(*Op[T])
	}
	op := newOp()
	kind := t.Kind()
	if code == opMinLoc || code == opMaxLoc {
		kind = t.Field(0).Type.Kind()
	}
	op.op.Name = cad.Common | uint64(code)<<kindBits | uint64(kind)
	o, _ := builtins[code].LoadOrStore(t, op)
	return o.(*Op[T])
}

// registered has the functions of RegisterOp.
var registered sync.Map // by name: func(inout, in []byte)

// RegisterOp is NewOp for an operator that any rank can apply in nonblocking operations
// and graphs, and not only the rank that makes the call. The name stands for the function
// in all ranks that run the same program: register it where every rank does, such as in a
// package variable or in init, before the first call that uses it. A name that was
// registered for the same type before makes an operator with which every call fails.
//
//	var hypot = mpi.RegisterOp("example.com/mesh.hypot", addInQuadrature, true)
func RegisterOp[T any](name string, f func(inout, in []T), commutative bool) *Op[T] {
	op := NewOp(f, commutative)
	h := fnv.New64a()
	fmt.Fprint(h, name, "\x00", reflect.TypeFor[T]()) // a hash does not fail
	number := h.Sum64() &^ cad.Common
	if _, taken := registered.LoadOrStore(number, op.op.Apply); taken || number == 0 {
		return &Op[T]{op: op.op, err: fmt.Errorf("an operator %q of this type is registered already: take another name", name)}
	}
	op.op.Name = number
	return op
}

// describeOperator names an operator of this package by its name without cad.Common.
func describeOperator(name uint64) string {
	s, kind := "an operator", reflect.Kind(name&(1<<kindBits-1))
	if code := opCode(name >> kindBits); code < opCodes {
		s = opNames[code]
	}
	return s + " of " + kind.String()
}

// resolved has the functions of the operators of this package that other ranks have asked
// for.
var resolved sync.Map // by name

// resolveOperator returns this rank's function for a name, nil if it has none.
func resolveOperator(name uint64) func(inout, in []byte) {
	known := &resolved
	if name&cad.Common == 0 {
		known = &registered
	}
	if f, ok := known.Load(name); ok {
		return f.(func(inout, in []byte))
	}
	if name&cad.Common == 0 {
		return nil
	}
	code := opCode(name &^ cad.Common >> kindBits)
	f := operatorsOf(reflect.Kind(name & (1<<kindBits - 1)))[code]
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
