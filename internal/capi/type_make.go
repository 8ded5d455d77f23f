package capi

import (
	"slices"

	"github.com/gopvas/gopvas/datatype"
)

// The constructors of section 5.1.2 and 5.1.7 of MPI 5.0. Each looks up the old types, has
// package datatype make the type, and notes the form for MPI_Type_get_contents.

// derived gives what a constructor has made a handle.
func (p *Process) derived(t *datatype.Type, err error, form Form, combiner int, newtype Ptr[Type],
	old ...*typeObject) error {
	if err != nil {
		return err
	}
	o := newTypeObject(t, nil, old...)
	o.combiner, o.large = combiner, form == largeForm
	return p.newType(o, newtype)
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

// typeList are several types.
type typeList []*typeObject

// typesOf returns the types of n handles.
func (p *Process) typesOf(array Handles[Type], n int) (list typeList, err error) {
	if n > 0 && array.Nil() {
		return nil, fail(ERR_ARG, "the array of %d datatypes is a null pointer", n)
	}
	list = make(typeList, n)
	for i := range list {
		if list[i], err = p.typeOf(array.At(i)); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// inner are the types as package datatype has them.
func (l typeList) inner() []*datatype.Type {
	all := make([]*datatype.Type, len(l))
	for i, o := range l {
		all[i] = o.Type
	}
	return all
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

// distributions are the numbers of those of package datatype.
var distributions = [...]int64{datatype.DistributeNone: DISTRIBUTE_NONE, datatype.DistributeBlock: DISTRIBUTE_BLOCK,
	datatype.DistributeCyclic: DISTRIBUTE_CYCLIC}

// dimensions are n dimensions of MPI_Type_create_darray, a property an array.
func dimensions(n int, arrays ...Ints) ([]datatype.Dimension, error) {
	columns := make([][]int64, len(arrays))
	for i, a := range arrays {
		var err error
		if columns[i], err = wide(a, n); err != nil {
			return nil, err
		}
	}
	dims := make([]datatype.Dimension, n)
	for d := range dims {
		dims[d] = datatype.Dimension{Size: columns[0][d],
			How:   datatype.Distribution(slices.Index(distributions[:], columns[1][d])),
			Block: columns[2][d], Processes: columns[3][d]}
		if dims[d].Block == DISTRIBUTE_DFLT_DARG {
			dims[d].Block = datatype.DistributeDefault
		}
	}
	return dims, nil
}
