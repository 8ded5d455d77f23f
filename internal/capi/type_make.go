package capi

import (
	"math"
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

// marks tells whether the type is this marker.
func (o *typeObject) marks(t Type) bool { return o.traits != nil && o.traits.handle == t }

// Type_create_struct is MPI_Type_create_struct. With markers it makes a struct of the other types that is resized.
func (p *Process) Type_create_struct(count int, lengths, displacements Ints, types Handles[Type], newtype Ptr[Type],
	form Form) error {
	s := structParts{}
	var err error
	if s.lengths, err = wide(lengths, count); err != nil {
		return err
	}
	if s.places, err = wide(displacements, count); err != nil {
		return err
	}
	if s.types, err = p.typesOf(types, count); err != nil {
		return err
	}
	bounds, marked := s.takeMarkers()
	t, err := datatype.Struct(s.lengths, s.places, s.types.inner())
	if err != nil || !marked {
		return p.derived(t, err, form, COMBINER_STRUCT, newtype, s.types...)
	}
	inner := newTypeObject(t, nil, s.types...)
	inner.combiner, inner.large = COMBINER_STRUCT, form == largeForm
	t, err = bounds.resize(t)
	return p.derived(t, err, form, COMBINER_RESIZED, newtype, inner)
}

// structParts are the arguments of a struct.
type structParts struct {
	lengths, places []int64
	types           typeList
}

// structBounds are the least place of an LB, and the greatest of a UB.
type structBounds struct{ lower, upper int64 }

// Where there is no marker of a kind.
const (
	noLower = math.MaxInt64
	noUpper = math.MinInt64
)

// takeMarkers takes the markers out of the lists, and tells whether there were any. Blocks that are empty mark nothing.
func (s *structParts) takeMarkers() (b structBounds, marked bool) {
	b = structBounds{noLower, noUpper}
	rest := structParts{}
	for i, o := range s.types {
		switch {
		case s.lengths[i] > 0 && o.marks(LB):
			b.lower = min(b.lower, s.places[i])
		case s.lengths[i] > 0 && o.marks(UB):
			b.upper = max(b.upper, s.places[i])
		default:
			rest.lengths, rest.places = append(rest.lengths, s.lengths[i]), append(rest.places, s.places[i])
			rest.types = append(rest.types, o)
		}
	}
	if marked = len(rest.types) < len(s.types); marked {
		*s = rest
	}
	return b, marked
}

// resize returns the type with these bounds.
func (b structBounds) resize(t *datatype.Type) (*datatype.Type, error) {
	begin, extent := t.Extent()
	if b.upper == noUpper {
		b.upper = begin + extent
	}
	if b.lower == noLower {
		b.lower = begin
	}
	extent = b.upper - b.lower
	if (extent < 0) != (b.upper < b.lower) {
		return nil, fail(ERR_ARG, "the markers at %d and %d are too far apart", b.lower, b.upper)
	}
	return datatype.Resized(t, b.lower, extent)
}
