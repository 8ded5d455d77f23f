package mpi

import (
	"fmt"
	"hash/fnv"
	"reflect"
	"sync"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/coll/operator"
)

// Names of operators, by which a rank that progresses the graph of another finds what it
// has to do (coll.Op.Name). They are of two kinds:
//
//   - The operators of package operator have a number and a type of elements. All programs
//     know them.
//   - An operator of RegisterOp has a number that follows from its name and the type of its
//     elements. Ranks look for it only if they run the same build of the same program.
//
// An operator of NewOp has no name: only the rank itself can call it.

// builtins are the operators of package operator that were asked for: *Op[T] by the type T.
var builtins [operator.Codes]sync.Map

// builtin returns the operator of a code for elements of type T.
func builtin[T any](code operator.Code) *Op[T] {
	t := reflect.TypeFor[T]()
	if o, ok := builtins[code].Load(t); ok {
		return o.(*Op[T])
	}
	o, _ := builtins[code].LoadOrStore(t, &Op[T]{op: operator.Of(code, elementOf(t))})
	return o.(*Op[T])
}

// elementOf is the type of elements that T is made of: an operator takes no others.
func elementOf(t reflect.Type) operator.Element {
	if t.Kind() == reflect.Struct {
		return pairElements[t.Field(0).Type.Kind()]
	}
	return numberElements[t.Kind()]
}

var numberElements = map[reflect.Kind]operator.Element{
	reflect.Bool: operator.Bool, reflect.Int: operator.Int64, reflect.Int8: operator.Int8,
	reflect.Int16: operator.Int16,
	reflect.Int32: operator.Int32, reflect.Int64: operator.Int64, reflect.Uint: operator.Uint64,
	reflect.Uint8:  operator.Uint8,
	reflect.Uint16: operator.Uint16, reflect.Uint32: operator.Uint32, reflect.Uint64: operator.Uint64,
	reflect.Uintptr: operator.Uint64,
	reflect.Float32: operator.Float32, reflect.Float64: operator.Float64,
	reflect.Complex64: operator.Complex64, reflect.Complex128: operator.Complex128,
}

var pairElements = map[reflect.Kind]operator.Element{
	reflect.Int: operator.LocInt64, reflect.Int8: operator.LocInt8, reflect.Int16: operator.LocInt16,
	reflect.Int32: operator.LocInt32, reflect.Int64: operator.LocInt64, reflect.Uint: operator.LocUint64,
	reflect.Uint8: operator.LocUint8, reflect.Uint16: operator.LocUint16, reflect.Uint32: operator.LocUint32,
	reflect.Uint64: operator.LocUint64, reflect.Uintptr: operator.LocUint64,
	reflect.Float32: operator.LocFloat32, reflect.Float64: operator.LocFloat64,
}

// registered has the functions of RegisterOp.
var registered sync.Map // by name: func(inout, in []byte)

// RegisterOp is NewOp for an operator that any rank can apply in nonblocking operations
// and graphs, and not only the rank that makes the call. The name stands for the function
// in all ranks that run the same program: register it where every rank does, such as in a
// package variable or in init, before the first call that uses it. A name that was registered for the same type before
// makes an operator with which every call fails. That is looked up on this rank alone: ranks do not compare functions.
//
//	var hypot = mpi.RegisterOp("example.com/mesh.hypot", addInQuadrature, true)
func RegisterOp[T any](name string, f func(inout, in []T), commutative bool) *Op[T] {
	op := NewOp(f, commutative)
	h := fnv.New64a()
	fmt.Fprint(h, name, "\x00", reflect.TypeFor[T]()) // a hash does not fail
	number := h.Sum64() &^ cad.Common
	if _, taken := registered.LoadOrStore(number, op.op.Apply); taken || number == 0 {
		return &Op[T]{op: op.op, bare: op.bare,
			err: fmt.Errorf("an operator %q of this type is registered already: take another name", name)}
	}
	op.op.Name = number
	return op
}

// resolveOperator returns this rank's function for a name, nil if it has none.
func resolveOperator(name uint64) func(inout, in []byte) {
	if name&cad.Common != 0 {
		return operator.Resolve(name)
	}
	if f, ok := registered.Load(name); ok {
		return f.(func(inout, in []byte))
	}
	return nil
}
