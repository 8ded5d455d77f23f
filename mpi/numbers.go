package mpi

import (
	"reflect"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/comm"
)

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
