package capi

import "github.com/gopvas/gopvas/datatype"

// The constructors of section 5.1.2 and 5.1.7 of MPI 5.0. Each looks up the old types, has
// package datatype make the type, and notes the form for MPI_Type_get_contents.

// derived gives what a constructor has made a handle.
func (p *Process) derived(t *datatype.Type, err error, form Form, combiner int, newtype Ptr[Type],
	old ...*typeObject) error {
	if err != nil {
		return err
	}
	o := newTypeObject(t, old...)
	o.combiner, o.large = combiner, form == largeForm
	return p.newType(o, newtype)
}

// construct makes a type of one other.
func (p *Process) construct(oldtype Type, form Form, combiner int, newtype Ptr[Type],
	of func(old *datatype.Type) (*datatype.Type, error)) error {
	old, err := p.typeOf(oldtype)
	if err != nil {
		return err
	}
	t, err := of(old.Type)
	return p.derived(t, err, form, combiner, newtype, old)
}

// wide returns n integers of the program.
func wide(a Ints, n int) ([]int64, error) {
	if n < 0 {
		return nil, fail(ERR_ARG, "the count is %d; it must not be negative", n)
	}
	if n > 0 && a.Nil() {
		return nil, fail(ERR_ARG, "an array of %d integers is a null pointer", n)
	}
	all := make([]int64, n)
	for i := range all {
		all[i] = int64(a.At(i))
	}
	return all, nil
}

// wide2 returns two arrays of n integers.
func wide2(a, b Ints, n int) ([]int64, []int64, error) {
	first, err := wide(a, n)
	if err != nil {
		return nil, nil, err
	}
	second, err := wide(b, n)
	return first, second, err
}

// Type_contiguous is MPI_Type_contiguous.
func (p *Process) Type_contiguous(count int, oldtype Type, newtype Ptr[Type], form Form) error {
	return p.construct(oldtype, form, COMBINER_CONTIGUOUS, newtype, func(old *datatype.Type) (*datatype.Type, error) {
		return datatype.Contiguous(int64(count), old)
	})
}

// Type_vector is MPI_Type_vector.
func (p *Process) Type_vector(count, blocklength, stride int, oldtype Type, newtype Ptr[Type], form Form) error {
	return p.construct(oldtype, form, COMBINER_VECTOR, newtype, func(old *datatype.Type) (*datatype.Type, error) {
		return datatype.Vector(int64(count), int64(blocklength), int64(stride), old)
	})
}

// Type_create_hvector is MPI_Type_create_hvector.
func (p *Process) Type_create_hvector(count, blocklength, stride int, oldtype Type,
	newtype Ptr[Type], form Form) error {
	return p.construct(oldtype, form, COMBINER_HVECTOR, newtype, func(old *datatype.Type) (*datatype.Type, error) {
		return datatype.Hvector(int64(count), int64(blocklength), int64(stride), old)
	})
}

// blocks makes a type of blocks of different lengths.
func (p *Process) blocks(count int, blocklengths, displacements Ints, oldtype Type, newtype Ptr[Type],
	form Form, combiner int,
	make func(lengths, at []int64, old *datatype.Type) (*datatype.Type, error)) error {
	return p.construct(oldtype, form, combiner, newtype, func(old *datatype.Type) (*datatype.Type, error) {
		lengths, at, err := wide2(blocklengths, displacements, count)
		if err != nil {
			return nil, err
		}
		return make(lengths, at, old)
	})
}

// equalBlocks makes a type of blocks of one length.
func (p *Process) equalBlocks(count, blocklength int, displacements Ints, oldtype Type, newtype Ptr[Type],
	form Form, combiner int,
	make func(length int64, at []int64, old *datatype.Type) (*datatype.Type, error)) error {
	return p.construct(oldtype, form, combiner, newtype, func(old *datatype.Type) (*datatype.Type, error) {
		at, err := wide(displacements, count)
		if err != nil {
			return nil, err
		}
		return make(int64(blocklength), at, old)
	})
}

// Type_create_struct is MPI_Type_create_struct.
func (p *Process) Type_create_struct(count int, blocklengths, displacements Ints, array Handles[Type],
	newtype Ptr[Type], form Form) error {
	lengths, at, err := wide2(blocklengths, displacements, count)
	if err != nil {
		return err
	}
	if count > 0 && array.Nil() {
		return fail(ERR_ARG, "the array of %d datatypes is a null pointer", count)
	}
	old, inner := make([]*typeObject, count), make([]*datatype.Type, count)
	for i := range old {
		if old[i], err = p.typeOf(array.At(i)); err != nil {
			return err
		}
		inner[i] = old[i].Type
	}
	t, err := datatype.Struct(lengths, at, inner)
	return p.derived(t, err, form, COMBINER_STRUCT, newtype, old...)
}

// Type_create_resized is MPI_Type_create_resized.
func (p *Process) Type_create_resized(oldtype Type, lb, extent int, newtype Ptr[Type], form Form) error {
	return p.construct(oldtype, form, COMBINER_RESIZED, newtype, func(old *datatype.Type) (*datatype.Type, error) {
		return datatype.Resized(old, int64(lb), int64(extent))
	})
}

// Type_create_subarray is MPI_Type_create_subarray.
func (p *Process) Type_create_subarray(ndims int, sizes, subsizes, starts Ints, order int, oldtype Type,
	newtype Ptr[Type], form Form) error {
	return p.construct(oldtype, form, COMBINER_SUBARRAY, newtype, func(old *datatype.Type) (*datatype.Type, error) {
		whole, part, err := wide2(sizes, subsizes, ndims)
		if err != nil {
			return nil, err
		}
		first, err := wide(starts, ndims)
		if err != nil {
			return nil, err
		}
		o, err := orderOf(order)
		if err != nil {
			return nil, err
		}
		return datatype.Subarray(whole, part, first, o, old)
	})
}

func orderOf(order int) (datatype.Order, error) {
	switch order {
	case ORDER_C:
		return datatype.OrderC, nil
	case ORDER_FORTRAN:
		return datatype.OrderFortran, nil
	}
	return 0, fail(ERR_ARG, "the order is %d; it must be MPI_ORDER_C or MPI_ORDER_FORTRAN", order)
}

// Type_create_darray is MPI_Type_create_darray.
func (p *Process) Type_create_darray(size, rank, ndims int, gsizes, distribs, dargs, psizes Ints, order int,
	oldtype Type, newtype Ptr[Type], form Form) error {
	return p.construct(oldtype, form, COMBINER_DARRAY, newtype, func(old *datatype.Type) (*datatype.Type, error) {
		global, grid, err := wide2(gsizes, psizes, ndims)
		if err != nil {
			return nil, err
		}
		kinds, blocks, err := wide2(distribs, dargs, ndims)
		if err != nil {
			return nil, err
		}
		o, err := orderOf(order)
		if err != nil {
			return nil, err
		}
		dims := make([]datatype.Dimension, ndims)
		for d := range dims {
			dims[d] = datatype.Dimension{Size: global[d], How: datatype.Distribution(kinds[d] - DISTRIBUTE_NONE),
				Block: blocks[d], Processes: grid[d]}
			if blocks[d] == DISTRIBUTE_DFLT_DARG {
				dims[d].Block = datatype.DistributeDefault
			}
		}
		return datatype.Darray(int64(size), int64(rank), dims, o, old)
	})
}
