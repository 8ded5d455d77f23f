package mpi

import (
	"fmt"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// View is some elements of a slice, in an order of its own: a column of a matrix, the
// border of a grid. What takes a slice of elements in one piece is a function of this
// package; what takes a view is a method of it, or takes a slice of views. It corresponds to
// a derived datatype; the zero View has no elements.
//
// A view is a value, computed once, and used any number of times. It refers to its slice as a
// slice of it would. In one address space the elements of a long message are copied once, from
// view to view, where packing is not faster.
//
// A view that has an element more than once can only be sent.
//
// What is wrong with a view (a *ViewError or *TypeError) is reported by the call that it is
// used in, and by Err.
//
// MPI 4.1 section 5.1.
type View[T any] struct {
	base     []T
	layout   *datatype.Layout // nil: the elements are base
	count    int              // of elements
	unit     int              // bytes of an element; 0: those of T
	overlaps bool             // some element is there twice
	err      error
}

// ViewError means that a view cannot be used: it reaches beyond its slice, or is to be
// received into and has an element twice.
type ViewError struct {
	View   string // such as "vector of 3 blocks"
	Reason string
}

// Error says what it is and why.
func (e *ViewError) Error() string { return e.View + ": " + e.Reason }

func viewError(view, format string, args ...any) *ViewError {
	return &ViewError{View: view, Reason: fmt.Sprintf(format, args...)}
}

// errOverlap is for views to be received into.
var errOverlap = viewError("view to receive into", "an element is there more than once")

// Whole is the view of all elements, for where a view is asked for.
func Whole[T any](base []T) View[T] { return View[T]{base: base, count: len(base)} }

// Typed is the view of count elements of a datatype, the first of which has displacement
// zero at the first element of base. The displacements are in bytes. It is for layouts that
// the other views do not have, such as records with parts left out.
//
// Its elements are counted as elements of T if the datatype has a whole number of them, else
// as elements of the datatype.
//
// A type that has some bytes twice, or whose elements overlap, must not be received into:
// that is not checked.
//
// MPI 4.1 section 5.1.
func Typed[T any](base []T, t *datatype.Type, count int) View[T] {
	return typed(base, t, count, func() string { return fmt.Sprintf("view of %d elements of a datatype", count) })
}

// typed makes a view; what says its name in errors.
func typed[T any](base []T, t *datatype.Type, count int, what func() string) View[T] {
	size, err := elementSize[T]()
	if err != nil {
		return View[T]{err: err}
	}
	if t == nil || t.Align() == 0 { // made by no constructor
		return View[T]{err: viewError(what(), "the datatype is nil or zero")}
	}
	l, err := t.Times(int64(count))
	if err != nil {
		return View[T]{err: viewError(what(), "%v", err)}
	}
	lo, hi := l.Span()
	if lo < 0 || hi > int64(len(base))*int64(size) {
		return View[T]{err: viewError(what(), "it reaches from element %d to element %d, the slice has %d",
			floor(lo, size), -floor(-hi, size)-1, len(base))}
	}
	v := View[T]{base: base}
	if t.Size()%int64(size) != 0 {
		v.count, v.unit = count, int(t.Size())
	} else {
		v.count = int(l.Size()) / size
	}
	origin, whole := l.Contiguous()
	switch {
	case l.Size() == 0:
		v.base = nil
	case whole && v.unit == 0 && origin%int64(size) == 0:
		v.base = base[int(origin)/size:][:v.count:v.count]
	default:
		v.layout = &l
	}
	return v
}

// floor divides and rounds down.
func floor(a int64, size int) int64 {
	q := a / int64(size)
	if a%int64(size) < 0 {
		q--
	}
	return q
}

// Len returns the number of elements.
func (v View[T]) Len() int { return v.count }

// Err returns what is wrong with the view, or nil.
func (v View[T]) Err() error { return v.err }

// incoming returns the memory of a view that is to be received into, and what an element is.
func (v *View[T]) incoming() (comm.Buffer, comm.Element, error) {
	b, of, err := v.outgoing()
	if err == nil && v.overlaps {
		err = errOverlap
	}
	return b, of, err
}

// outgoing returns the memory of a view that is to be sent, or why it cannot be.
func (v *View[T]) outgoing() (comm.Buffer, comm.Element, error) {
	if v.err != nil {
		return comm.Buffer{}, 0, v.err
	}
	bytes, of, err := asBytes(v.base)
	if v.unit != 0 {
		of = comm.Element(v.unit) // elements of the datatype
	}
	if err != nil || v.layout == nil {
		return comm.Buffer{Bytes: bytes}, of, err
	}
	return comm.Buffer{Bytes: bytes, Layout: v.layout, Base: sys.HeapAddr(bytes)}, of, nil
}
