package capi

import (
	"slices"

	"github.com/gopvas/gopvas/datatype"
)

// What a datatype was made from: section 5.1.13 of MPI 5.0.

// contents are the arguments of a constructor as MPI_Type_get_contents returns them. The lists are most often those of
// the type, which never change.
type contents struct {
	integers, addresses, counts []int64
	types                       []*typeObject
}

// contents returns what the type was made from.
func (o *typeObject) contents() contents {
	if o.integers != nil { // of MPI_Type_create_f90_real and the like
		return contents{integers: o.integers}
	}
	made := o.Type.Contents()
	c := contents{integers: made.Integers, addresses: made.Displacements, types: o.old}
	switch o.combiner {
	case COMBINER_SUBARRAY:
		c.integers = slices.Clone(c.integers)
		c.integers[len(c.integers)-1] = orderNumber(c.integers[len(c.integers)-1])
	case COMBINER_DARRAY:
		c.integers = slices.Clone(c.integers)
		c.darrayNumbers()
	}
	if o.large {
		c.enlarge(o.combiner)
	}
	return c
}

func orderNumber(order int64) int64 {
	if datatype.Order(order) == datatype.OrderFortran {
		return ORDER_FORTRAN
	}
	return ORDER_C
}

// darrayNumbers puts the numbers of the ABI for those of package datatype. The integers are
// size, rank, ndims, and ndims of each gsizes, distribs, dargs and psizes, and the order.
func (c *contents) darrayNumbers() {
	ndims := int(c.integers[2])
	distribs, dargs := c.integers[3+ndims:][:ndims], c.integers[3+2*ndims:][:ndims]
	for d := range ndims {
		distribs[d] = distributions[distribs[d]]
		if dargs[d] == datatype.DistributeDefault {
			dargs[d] = DISTRIBUTE_DFLT_DARG
		}
	}
	last := len(c.integers) - 1
	c.integers[last] = orderNumber(c.integers[last])
}

// enlarge moves what was counts and displacements of a large form to the counts.
func (c *contents) enlarge(combiner int) {
	all := c.integers
	switch combiner {
	case COMBINER_DUP, COMBINER_NAMED:
	case COMBINER_SUBARRAY: // ndims, sizes, subsizes, starts, order
		last := len(all) - 1
		c.integers, c.counts = []int64{all[0], all[last]}, all[1:last]
	case COMBINER_DARRAY:
		ndims := int(all[2])
		c.counts, c.integers = all[3:][:ndims], slices.Concat(all[:3], all[3+ndims:])
	default:
		c.counts = slices.Concat(all, c.addresses)
		c.integers, c.addresses = nil, nil
	}
}

// Type_get_envelope is MPI_Type_get_envelope.
func (p *Process) Type_get_envelope(o *typeObject,
	integers, addresses, counts, datatypes, combiner Ref, form Form) error {
	c := o.contents()
	if len(c.counts) > 0 && form != largeForm {
		return fail(ERR_TYPE, "the datatype was made by a function with large counts: call MPI_Type_get_envelope_c")
	}
	combiner.Set(o.combiner)
	if o.combiner == COMBINER_NAMED {
		c = contents{}
	}
	integers.Set(len(c.integers))
	addresses.Set(len(c.addresses))
	if !counts.Nil() {
		counts.Set(len(c.counts))
	}
	datatypes.Set(len(c.types))
	return nil
}

// Type_get_contents is MPI_Type_get_contents. Old types that are not predefined get a handle
// of their own, which the program frees.
func (p *Process) Type_get_contents(o *typeObject, maxIntegers, maxAddresses, maxCounts, maxTypes int,
	integers, addresses, counts Ints, datatypes Handles[Type], form Form) error {
	if o.combiner == COMBINER_NAMED {
		return fail(ERR_TYPE, "%s is predefined and has no contents: ask MPI_Type_get_envelope first", o.label())
	}
	c := o.contents()
	if len(c.counts) > 0 && form != largeForm {
		return fail(ERR_TYPE, "the datatype was made by a function with large counts: call MPI_Type_get_contents_c")
	}
	if maxIntegers < len(c.integers) || maxAddresses < len(c.addresses) || maxCounts < len(c.counts) ||
		maxTypes < len(c.types) {
		return fail(ERR_ARG,
			"the arrays have %d, %d, %d and %d elements, but the contents %d, %d, %d and %d: ask MPI_Type_get_envelope",
			maxIntegers, maxAddresses, maxCounts, maxTypes, len(c.integers), len(c.addresses),
			len(c.counts), len(c.types))
	}
	store(integers, c.integers)
	store(addresses, c.addresses)
	store(counts, c.counts)
	for i, old := range c.types {
		h, err := p.handleOf(old)
		if err != nil {
			return err
		}
		datatypes.Set(i, h)
	}
	return nil
}

func store(to Ints, from []int64) {
	for i, v := range from {
		to.Set(i, int(v))
	}
}

// handleOf is a handle for a type that lies within another: that of a predefined type, else
// a new one of an object that has no attributes.
func (p *Process) handleOf(o *typeObject) (Type, error) {
	if o.traits != nil && predefinedType(o.traits.handle) == o {
		return o.traits.handle, nil
	}
	if h, ok := p.handleOfF90(o); ok {
		return h, nil
	}
	same := newTypeObject(o.Type, o.traits, o.old...)
	same.combiner, same.large, same.integers = o.combiner, o.large, o.integers
	same.committed.Store(o.committed.Load())
	h := types.add(same)
	if h == 0 {
		return 0, errTooManyTypes
	}
	same.tellSize(h)
	return Type(h), nil
}
