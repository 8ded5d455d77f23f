package datatype

import "slices"

// Order says which index of an array runs fastest in memory.
type Order int64

const (
	OrderC       Order = iota // the last one
	OrderFortran              // the first one
)

// fastestFirst lists the dimensions in the order of their strides, the smallest first.
func (o Order) fastestFirst(dims int) []int {
	all := make([]int, dims)
	for i := range all {
		all[i] = i
	}
	if o == OrderC {
		slices.Reverse(all)
	}
	return all
}

// Subarray makes a part of an array of old: the elements whose index in each dimension d is
// between starts[d] and starts[d]+subsizes[d]-1. Its extent is that of the whole array.
func Subarray(sizes, subsizes, starts []int64, order Order, old *Type) (*Type, error) {
	a := arguments{combiner: CombinerSubarray, types: []*Type{old},
		integers: [5][]int64{{int64(len(sizes))}, sizes, subsizes, starts, {int64(order)}}}
	if err := a.check(); err != nil {
		return nil, err
	}
	if err := checkSubarray(sizes, subsizes, starts, order); err != nil {
		return nil, failed(a.combiner, err)
	}
	var x exact
	part, stride := old.body, old.extent
	for _, d := range order.fastestFirst(len(sizes)) {
		part = repeat(&x, part, subsizes[d], stride).moved(&x, x.mul(starts[d], stride))
		stride = x.mul(stride, sizes[d])
	}
	return finish(&x, part.bounded(0, stride), &a)
}

func checkSubarray(sizes, subsizes, starts []int64, order Order) error {
	if len(sizes) == 0 || len(sizes) != len(subsizes) || len(sizes) != len(starts) {
		return wrong("%d sizes, %d subsizes and %d starts", len(sizes), len(subsizes), len(starts))
	}
	if order != OrderC && order != OrderFortran {
		return wrong("order %d", order)
	}
	for d, size := range sizes {
		if size < 1 || subsizes[d] < 1 || subsizes[d] > size || starts[d] < 0 || starts[d] > size-subsizes[d] {
			return wrong("dimension %d has size %d, subsize %d and start %d", d, size, subsizes[d], starts[d])
		}
	}
	return nil
}
