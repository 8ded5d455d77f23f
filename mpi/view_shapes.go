package mpi

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gopvas/gopvas/datatype"
)

// Vector is count blocks of so many elements, whose starts are stride elements apart:
// Vector(m[j:], rows, 1, columns) is column j of a matrix.
//
// MPI 4.1 section 5.1.2 (MPI_Type_vector).
func Vector[T any](base []T, count, length, stride int) View[T] {
	what := func() string {
		return fmt.Sprintf("vector of %d blocks of %d elements, %d apart", count, length, stride)
	}
	v := viewOf(base, what, func(element *datatype.Type) (*datatype.Type, error) {
		return datatype.Vector(int64(count), int64(length), int64(stride), element)
	})
	v.overlaps = stride < length && count > 1
	return v
}

// Indexed is blocks whose lengths and places are given, in this order; they need not
// ascend.
//
// MPI 4.1 section 5.1.2 (MPI_Type_indexed).
func Indexed[T any](base []T, lengths, places []int) View[T] {
	what := func() string { return fmt.Sprintf("indexed view of %d blocks", len(lengths)) }
	v := viewOf(base, what, func(element *datatype.Type) (*datatype.Type, error) {
		return datatype.Indexed(wide(lengths), wide(places), element)
	})
	v.overlaps = v.err == nil && anyOverlap(lengths, places)
	return v
}

// Subarray is the part of an array of several dimensions that begins at starts and has
// the lengths subsizes. The array has the lengths sizes, and lies in base in row-major
// order: the last index changes fastest.
//
// MPI 4.1 section 5.1.3 (MPI_Type_create_subarray, MPI_ORDER_C).
func Subarray[T any](base []T, sizes, subsizes, starts []int) View[T] {
	what := func() string { return fmt.Sprintf("subarray %v at %v of an array %v", subsizes, starts, sizes) }
	if emptyPart(sizes, subsizes, starts) {
		return View[T]{}
	}
	v := viewOf(base, what, func(element *datatype.Type) (*datatype.Type, error) {
		return datatype.Subarray(wide(sizes), wide(subsizes), wide(starts), datatype.OrderC, element)
	})
	if v.err == nil && cells(sizes) > len(base) {
		return View[T]{err: viewError(what(), "the slice has %d elements only", len(base))}
	}
	return v
}

// emptyPart tells whether the part of an array lies within it and has no elements: a
// datatype cannot be made of that.
func emptyPart(sizes, subsizes, starts []int) bool {
	if len(subsizes) != len(sizes) || len(starts) != len(sizes) || !slices.Contains(subsizes, 0) {
		return false
	}
	for i, size := range sizes {
		if subsizes[i] < 0 || starts[i] < 0 || starts[i] > size || subsizes[i] > size-starts[i] {
			return false
		}
	}
	return true
}

// cells returns the product of some sizes, which does not overflow.
func cells(sizes []int) int {
	n := 1
	for _, size := range sizes {
		n *= size
	}
	return n
}

// Strided is the elements whose indices are the sums of i[k]*strides[k], for all i[k] from
// 0 below lengths[k], the last i changing fastest: Strided(m, []int{columns, rows},
// []int{1, columns}) is a matrix column by column, that is, transposed.
//
// MPI 4.1 section 5.1.2 (MPI_Type_create_hvector, nested).
func Strided[T any](base []T, lengths, strides []int) View[T] {
	what := func() string { return fmt.Sprintf("view of %v elements, %v apart", lengths, strides) }
	if len(lengths) == 0 || len(strides) != len(lengths) {
		return View[T]{err: viewError(what(), "pass as many lengths and strides, and at least one")}
	}
	v := viewOf(base, what, func(t *datatype.Type) (_ *datatype.Type, err error) {
		size := t.Size()
		for i, n := range slices.Backward(lengths) {
			stride := int64(strides[i])
			if stride < 0 || stride > math.MaxInt64/size {
				return nil, fmt.Errorf("stride %d of dimension %d is negative or too large", stride, i)
			}
			if t, err = datatype.Hvector(int64(n), 1, stride*size, t); err != nil {
				break
			}
		}
		return t, err
	})
	v.overlaps = v.err == nil && v.count > 0 && anyTwice(lengths, strides)
	return v
}

// viewOf is a view of one element of a type that is made of elements of T.
func viewOf[T any](base []T, what func() string, make func(element *datatype.Type) (*datatype.Type, error)) View[T] {
	element, err := elementType[T]()
	if err != nil {
		return View[T]{err: err}
	}
	t, err := make(element)
	if err != nil {
		if cause := errors.Unwrap(err); cause != nil {
			err = cause // without the name of the constructor
		}
		return View[T]{err: viewError(what(), "%v", err)}
	}
	return typed(base, t, 1, what)
}

func wide(numbers []int) []int64 {
	w := make([]int64, len(numbers))
	for i, n := range numbers {
		w[i] = int64(n)
	}
	return w
}

// anyOverlap tells whether two of the blocks share an element.
func anyOverlap(lengths, places []int) bool {
	var blocks [][2]int // start, end
	for i, n := range lengths {
		if n > 0 {
			blocks = append(blocks, [2]int{places[i], places[i] + n})
		}
	}
	slices.SortFunc(blocks, func(a, b [2]int) int { return a[0] - b[0] })
	for i := 1; i < len(blocks); i++ {
		if blocks[i][0] < blocks[i-1][1] {
			return true
		}
	}
	return false
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
