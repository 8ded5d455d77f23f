package mpi

import (
	"fmt"
	"reflect"
	"strconv"
	"sync"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/mpi/fault"
)

// TypeError reports an element type that cannot travel: it holds a pointer, which
// would mean nothing in another rank, or it has no size.
type TypeError struct {
	Type   string // the element type
	Field  string // the path of the field in it, such as "Pos[].Name"; "" if it is the type itself
	Reason string // what is there
}

// Error names the type, the field and the way out.
func (e *TypeError) Error() string {
	what := "it"
	if e.Field != "" {
		what = "field " + e.Field
	}
	return fmt.Sprintf("elements of type %s cannot be sent: %s %s; "+
		"use numbers, booleans, and arrays and structs of them", e.Type, what, e.Reason)
}

// verdict is what is known about an element type.
type verdict struct {
	of  comm.Element
	err error
}

// verdicts holds a verdict for each reflect.Type that was ever asked for, but for
// the usual ones.
var verdicts sync.Map

// element returns what T is as an element of a message, or a *TypeError if T cannot travel.
func element[T any]() (comm.Element, error) {
	if of := usualElement[T](); of != 0 {
		return of, nil
	}
	t := reflect.TypeFor[T]()
	if v, ok := verdicts.Load(t); ok {
		v := v.(verdict)
		return v.of, v.err
	}
	v := judge(t)
	verdicts.Store(t, v)
	return v.of, v.err
}

// elementSize returns the size of T in bytes, or a *TypeError if T cannot travel.
func elementSize[T any]() (int, error) {
	of, err := element[T]()
	return of.Size(), err
}

// usualElement is element for the usual types, which are known without a look-up, and 0
// for others. It is asked for each message, and is inlined.
func usualElement[T any]() comm.Element {
	switch any((*T)(nil)).(type) {
	case *byte:
		return datatype.ElementByte
	case *int8, *bool:
		return datatype.ElementInt8
	case *int16:
		return datatype.ElementInt16
	case *uint16:
		return datatype.ElementInt16 + datatype.ElementUnsigned
	case *int32:
		return datatype.ElementInt32
	case *uint32:
		return datatype.ElementInt32 + datatype.ElementUnsigned
	case *int64:
		return datatype.ElementInt64
	case *uint64:
		return datatype.ElementInt64 + datatype.ElementUnsigned
	case *float32:
		return datatype.ElementFloat32
	case *float64:
		return datatype.ElementFloat64
	case *complex64:
		return datatype.ElementComplex64
	case *int:
		return wordElement
	case *uint:
		return wordElement + datatype.ElementUnsigned
	case *complex128:
		return datatype.ElementComplex128
	}
	return 0
}

// wordElement is an int.
const wordElement = datatype.ElementInt32 + (datatype.ElementInt64-datatype.ElementInt32)*(strconv.IntSize/32-1)

// elementType returns the datatype of T, or a *TypeError.
func elementType[T any]() (*datatype.Type, error) {
	switch any((*T)(nil)).(type) {
	case *bool:
		return datatype.Bool, nil
	case *byte:
		return datatype.Uint8, nil
	case *int8:
		return datatype.Int8, nil
	case *int16:
		return datatype.Int16, nil
	case *uint16:
		return datatype.Uint16, nil
	case *int32:
		return datatype.Int32, nil
	case *uint32:
		return datatype.Uint32, nil
	case *int64, *int:
		return datatype.Int64, nil
	case *uint64, *uint:
		return datatype.Uint64, nil
	case *float32:
		return datatype.Float32, nil
	case *float64:
		return datatype.Float64, nil
	case *complex64:
		return datatype.Complex64, nil
	case *complex128:
		return datatype.Complex128, nil
	}
	size, err := elementSize[T]()
	if err != nil {
		return nil, err
	}
	return datatype.Contiguous(int64(size), datatype.Byte)
}

func judge(t reflect.Type) verdict {
	if field, reason := flaw(t); reason != "" {
		return verdict{err: &TypeError{Type: t.String(), Field: field, Reason: reason}}
	}
	if t.Size() == 0 {
		return verdict{err: &TypeError{Type: t.String(), Reason: "has no size"}}
	}
	return verdict{of: numbersOf(t).Sized(int(t.Size()))}
}

// flaw returns the path of the first pointer in a type and what it is, or nothing.
func flaw(t reflect.Type) (field, reason string) {
	switch t.Kind() {
	case reflect.Pointer, reflect.UnsafePointer, reflect.Chan, reflect.Func,
		reflect.Interface, reflect.Map, reflect.Slice, reflect.String:
		return "", "holds a pointer (" + t.Kind().String() + ")"
	case reflect.Array:
		field, reason = flaw(t.Elem())
		field = "[]" + joint(field) + field
	case reflect.Struct:
		for i := range t.NumField() {
			if field, reason = flaw(t.Field(i).Type); reason != "" {
				return t.Field(i).Name + joint(field) + field, reason
			}
		}
	}
	return field, reason
}

// joint is what stands between a field and what is in it.
func joint(rest string) string {
	if rest == "" || rest[0] == '[' {
		return ""
	}
	return "."
}

// asBytes returns the bytes of buf and what its elements are.
func asBytes[T any](buf []T) ([]byte, comm.Element, error) {
	of, err := element[T]()
	if err != nil {
		return nil, 0, err
	}
	return bytesOf(buf, of.Size()), of, nil
}

// CountError means that a message is no whole number of elements.
type CountError = fault.CountError

// CountOf returns how many elements of type T a status stands for, in particular that
// of a probe. The error is a *CountError if it is no whole number of them, a
// *TypeError if such elements cannot travel.
//
// MPI 4.1 section 3.2.5 (MPI_Get_count).
func CountOf[T any](s Status) (int, error) {
	size, err := elementSize[T]()
	if err != nil {
		return Undefined, comm.Wrap("count", err)
	}
	n := s.CountIn(size)
	if n == Undefined {
		return n, comm.Wrap("count", &CountError{Bytes: s.Bytes, Element: size})
	}
	return n, nil
}

// numbersOf returns what a type without pointers consists of, if all of its numbers are alike.
func numbersOf(t reflect.Type) comm.Element {
	size := int(t.Size())
	switch k := t.Kind(); k {
	case reflect.Uint8:
		return datatype.ElementByte
	case reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uint, reflect.Uintptr:
		return datatype.ElementOf(datatype.KindUnsigned, size)
	case reflect.Float32, reflect.Float64:
		return datatype.ElementOf(datatype.KindFloat, size)
	case reflect.Complex64, reflect.Complex128:
		return datatype.ElementOf(datatype.KindComplex, size)
	case reflect.Array:
		return numbersOf(t.Elem()).Numbers()
	case reflect.Struct:
		return numbersOfFields(t)
	default:
		return datatype.ElementOf(datatype.KindInteger, size)
	}
}

// numbersOfFields is numbersOf for a structure. Between fields that are alike there are no gaps.
func numbersOfFields(t reflect.Type) (all comm.Element) {
	for i := range t.NumField() {
		n := numbersOf(t.Field(i).Type).Numbers()
		if n == 0 || i > 0 && n != all {
			return 0
		}
		all = n
	}
	return all
}
