package mpi

import (
	"fmt"
	"math"
	"slices"
)

// View is some elements of a slice, in an order of its own: a column of a matrix, the
// border of a grid. Messages and Alltoallw take views, so that programs need not copy
// what does not lie in one piece. It corresponds to a derived datatype; the zero View
// has no elements.
//
// A view is a value, computed once, and used any number of times. It refers to its
// slice as a slice of it would. Views are seldom what is fastest: a view of one piece is
// sent as it lies, others pass through a buffer on both sides.
//
// A view may have elements more than once, if it is only sent, and then up to 2^24 in all.
//
// What is wrong with a view (a *ViewError) is reported by the call that it is used in,
// and by Err.
//
// MPI 4.1 section 5.1.
type View[T any] struct {
	base     []T
	pieces   []piece
	count    int  // of elements
	overlaps bool // some element is there twice
	err      error
}

// piece is blocks of as many elements each, whose starts are as far apart.
type piece struct{ start, length, count, stride int }

// ViewError means that a view can not be used: it reaches beyond its slice, or is to be
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
func Whole[T any](base []T) View[T] {
	v := View[T]{base: base}
	v.add(piece{0, len(base), 1, 0})
	return v
}

// Vector is count blocks of so many elements, whose starts are stride elements apart:
// Vector(m[j:], rows, 1, columns) is column j of a matrix.
//
// MPI 4.1 section 5.1.2 (MPI_Type_vector).
func Vector[T any](base []T, count, length, stride int) View[T] {
	v := View[T]{base: base}
	fits := count >= 0 && length >= 0 && stride >= 0 && !repeatsTooMuch(len(base), count, length)
	if fits && count > 0 && length > 0 {
		room := len(base) - length
		fits = room >= 0 && (stride == 0 || count-1 <= room/stride)
	}
	if !fits {
		v.err = viewError(fmt.Sprintf("vector of %d blocks of %d elements, %d apart", count, length, stride),
			"does not fit into a slice of %d", len(base))
		return v
	}
	v.overlaps = stride < length && count > 1
	v.add(piece{0, length, count, stride})
	return v
}

// repeatsTooMuch tells whether the product of the lengths is more than n, and more than a view
// may have that repeats elements.
func repeatsTooMuch(n int, lengths ...int) bool {
	const mostRepeated = 1 << 24
	n = max(n, mostRepeated)
	product := 1
	for _, l := range lengths {
		if l > 0 && product > n/l {
			return !slices.Contains(lengths, 0)
		}
		product *= l
	}
	return false
}

// Indexed is blocks whose lengths and places are given, in this order; they need not
// ascend.
//
// MPI 4.1 section 5.1.2 (MPI_Type_indexed).
func Indexed[T any](base []T, lengths, places []int) View[T] {
	v := View[T]{base: base}
	what := fmt.Sprintf("indexed view of %d blocks", len(lengths))
	if len(places) != len(lengths) {
		v.err = viewError(what, "there are %d places", len(places))
		return v
	}
	for i, n := range lengths {
		at := places[i]
		if n < 0 || n > 0 && (at < 0 || at > len(base) || n > len(base)-at) {
			return View[T]{err: viewError(what, "block %d has %d elements from %d on, the slice has %d", i, n, at, len(base))}
		}
		v.add(piece{at, n, 1, 0})
	}
	v.overlaps = anyOverlap(v.pieces)
	return v
}

// anyOverlap tells whether two of the blocks, each a piece of its own, share an element.
func anyOverlap(blocks []piece) bool {
	byStart := func(a, b piece) int { return a.start - b.start }
	if !slices.IsSortedFunc(blocks, byStart) {
		blocks = slices.Clone(blocks)
		slices.SortFunc(blocks, byStart)
	}
	for i := 1; i < len(blocks); i++ {
		if blocks[i].start < blocks[i-1].start+blocks[i-1].length {
			return true
		}
	}
	return false
}

// Subarray is the part of an array of several dimensions that begins at starts and has
// the lengths subsizes. The array has the lengths sizes, and lies in base in row-major
// order: the last index changes fastest.
//
// MPI 4.1 section 5.1.3 (MPI_Type_create_subarray, MPI_ORDER_C).
func Subarray[T any](base []T, sizes, subsizes, starts []int) View[T] {
	v := View[T]{base: base}
	what := fmt.Sprintf("subarray %v at %v of an array %v", subsizes, starts, sizes)
	if len(sizes) == 0 || len(subsizes) != len(sizes) || len(starts) != len(sizes) {
		v.err = viewError(what, "pass as many sizes, subsizes and starts, and at least one")
		return v
	}
	cells := 1
	for i, size := range sizes {
		if size < 0 || subsizes[i] < 0 || starts[i] < 0 || starts[i] > size || subsizes[i] > size-starts[i] {
			v.err = viewError(what, "dimension %d is outside of the array", i)
			return v
		}
		if size > 0 && cells > math.MaxInt/size {
			cells = math.MaxInt
		} else {
			cells *= size
		}
	}
	if cells > len(base) {
		v.err = viewError(what, "the slice has %d elements only", len(base))
		return v
	}
	if !slices.Contains(subsizes, 0) {
		v.addPart(sizes, subsizes, starts, 0)
	}
	return v
}

// addPart adds the part of an array that begins at offset rows of the dimension before.
func (v *View[T]) addPart(sizes, subsizes, starts []int, offset int) {
	switch at := offset*sizes[0] + starts[0]; len(sizes) {
	case 1:
		v.add(piece{at, subsizes[0], 1, 0})
	case 2:
		v.add(piece{at*sizes[1] + starts[1], subsizes[1], subsizes[0], sizes[1]})
	default:
		for i := range subsizes[0] {
			v.addPart(sizes[1:], subsizes[1:], starts[1:], at+i)
		}
	}
}

// Strided is the elements whose indices are the sums of i[k]*strides[k], for all i[k] from
// 0 below lengths[k], the last i changing fastest: Strided(m, []int{columns, rows},
// []int{1, columns}) is a matrix column by column, that is, transposed.
//
// MPI 4.1 section 5.1.2 (MPI_Type_create_hvector, nested).
func Strided[T any](base []T, lengths, strides []int) View[T] {
	v := View[T]{base: base}
	what := fmt.Sprintf("view of %v elements, %v apart", lengths, strides)
	if len(lengths) == 0 || len(strides) != len(lengths) {
		v.err = viewError(what, "pass as many lengths and strides, and at least one")
		return v
	}
	room := len(base) - 1 // for the greatest index
	for i, n := range lengths {
		if n < 0 || strides[i] < 0 {
			v.err = viewError(what, "dimension %d is negative", i)
			return v
		}
		if n > 1 && strides[i] > 0 && room >= 0 {
			room -= min(n-1, room/strides[i]+1) * min(strides[i], room+1)
		}
	}
	if slices.Contains(lengths, 0) {
		return v
	}
	if room < 0 || repeatsTooMuch(len(base), lengths...) {
		v.err = viewError(what, "does not fit into a slice of %d", len(base))
		return v
	}
	v.addStrided(lengths, strides, 0)
	v.overlaps = anyTwice(lengths, strides)
	return v
}

// addStrided adds the elements from an index on.
func (v *View[T]) addStrided(lengths, strides []int, at int) {
	switch n := len(lengths); {
	case n == 1:
		v.add(piece{at, 1, lengths[0], strides[0]})
	case n == 2 && (strides[1] == 1 || lengths[1] == 1):
		v.add(piece{at, lengths[1], lengths[0], strides[0]})
	default:
		for i := range lengths[0] {
			v.addStrided(lengths[1:], strides[1:], at+i*strides[0])
		}
	}
}

// anyTwice tells whether two of the sums that Strided makes are the same. If each stride
// is greater than all that the smaller ones add up to, they are not.
func anyTwice(lengths, strides []int) bool {
	var order []int
	for i, n := range lengths {
		if n > 1 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return strides[a] - strides[b] })
	reach, count, nested := 0, 1, true
	for _, i := range order {
		nested = nested && strides[i] > reach
		reach += (lengths[i] - 1) * strides[i]
		count *= lengths[i]
	}
	if nested || count > reach+1 { // more sums than there are numbers
		return !nested
	}
	seen := make([]bool, reach+1)
	sums := []int{0}
	for _, i := range order {
		longer := make([]int, 0, len(sums)*lengths[i])
		for k := range lengths[i] {
			for _, sum := range sums {
				longer = append(longer, sum+k*strides[i])
			}
		}
		sums = longer
	}
	for _, sum := range sums {
		if seen[sum] {
			return true
		}
		seen[sum] = true
	}
	return false
}

// add appends a piece, in the simplest form.
func (v *View[T]) add(p piece) {
	if p.length == 0 || p.count == 0 {
		return
	}
	v.count += p.length * p.count
	if p.stride == p.length {
		p.length *= p.count
		p.count = 1
	}
	if p.count > 1 {
		v.pieces = append(v.pieces, p)
		return
	}
	if n := len(v.pieces); n > 0 {
		if last := &v.pieces[n-1]; last.count == 1 && last.start+last.length == p.start {
			last.length += p.length
			return
		}
	}
	v.pieces = append(v.pieces, piece{p.start, p.length, 1, 0})
}

// Len returns the number of elements.
func (v View[T]) Len() int { return v.count }

// Err returns what is wrong with the view, a *ViewError, or nil.
func (v View[T]) Err() error { return v.err }
