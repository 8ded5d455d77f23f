package capi

import "sync"

// Types that are chosen by what they can hold: sections 5.1.11 and 19.1.9 of MPI 5.0.

// sized are the types of a class by their size.
var sized = map[int]map[int]Type{
	TYPECLASS_LOGICAL: {1: LOGICAL1, 2: LOGICAL2, 4: LOGICAL4, 8: LOGICAL8, 16: LOGICAL16},
	TYPECLASS_INTEGER: {1: INTEGER1, 2: INTEGER2, 4: INTEGER4, 8: INTEGER8, 16: INTEGER16},
	TYPECLASS_REAL:    {4: REAL4, 8: REAL8, 16: REAL16},
	TYPECLASS_COMPLEX: {8: COMPLEX8, 16: COMPLEX16, 32: COMPLEX32},
}

// Type_match_size is MPI_Type_match_size.
func (p *Process) Type_match_size(class, size int, t Ptr[Type]) error {
	types, ok := sized[class]
	if !ok {
		return fail(ERR_ARG, "%d is no class of types: take MPI_TYPECLASS_INTEGER, _REAL or _COMPLEX", class)
	}
	found, ok := types[size]
	if !ok {
		return fail(ERR_ARG, "no type of class %d has %d bytes", class, size)
	}
	t.Set(found)
	return nil
}

// Type_get_value_index is MPI_Type_get_value_index.
func (p *Process) Type_get_value_index(value, index Type, pair Ptr[Type]) error {
	if _, err := p.typeOf(value); err != nil {
		return err
	}
	if _, err := p.typeOf(index); err != nil {
		return err
	}
	pair.Set(DATATYPE_NULL)
	for _, known := range pairTypes {
		if known.value == value && known.index == index {
			pair.Set(known.handle)
		}
	}
	return nil
}

// f90Type is a type of MPI_Type_create_f90_real and the like.
type f90Type struct{ combiner, precision, rang int }

// f90Types has those that were made. They are predefined: the same arguments give the same
// handle again, and it cannot be freed.
var f90Types struct {
	sync.Mutex
	handles map[f90Type]Type
	objects map[*typeObject]Type
}

// predefinedLater is how many there are.
func predefinedLater() int {
	f90Types.Lock()
	defer f90Types.Unlock()
	return len(f90Types.handles)
}

// f90 returns the handle of the type, which is like another.
func (p *Process) f90(key f90Type, like Type, integers []int64, newtype Ptr[Type]) error {
	f90Types.Lock()
	defer f90Types.Unlock()
	if h, ok := f90Types.handles[key]; ok {
		newtype.Set(h)
		return nil
	}
	old, err := p.typeOf(like)
	if err != nil {
		return err
	}
	o := newTypeObject(old.Type, old.traits)
	o.predefined, o.combiner, o.integers = true, key.combiner, integers
	o.committed.Store(true)
	o.name.Store(old.name.Load())
	if err := p.newType(o, newtype); err != nil {
		return err
	}
	if f90Types.handles == nil {
		f90Types.handles, f90Types.objects = map[f90Type]Type{}, map[*typeObject]Type{}
	}
	f90Types.handles[key], f90Types.objects[o] = newtype.Get(), newtype.Get()
	return nil
}

// handleOfF90 is the handle of a type that f90 has made.
func (p *Process) handleOfF90(o *typeObject) (Type, bool) {
	f90Types.Lock()
	defer f90Types.Unlock()
	h, ok := f90Types.objects[o]
	return h, ok
}

// realKinds are the kinds of gfortran by their decimal precision and exponent range.
var realKinds = []struct {
	precision, rang int
	real, complex   Type
}{
	{6, 37, REAL4, COMPLEX8},
	{15, 307, REAL8, COMPLEX16},
	{33, 4931, REAL16, COMPLEX32},
}

// realKind finds the smallest kind. What MPI_UNDEFINED stands for may be anything.
func realKind(precision, rang int) (real, complex Type, err error) {
	if precision == UNDEFINED && rang == UNDEFINED {
		return 0, 0, fail(ERR_ARG, "precision and range are both MPI_UNDEFINED: give one")
	}
	for _, k := range realKinds {
		if precision <= k.precision && rang <= k.rang {
			return k.real, k.complex, nil
		}
	}
	return 0, 0, fail(ERR_ARG, "no REAL has %d digits and a decimal range of %d", precision, rang)
}

// Type_create_f90_real is MPI_Type_create_f90_real.
func (p *Process) Type_create_f90_real(precision, rang int, newtype Ptr[Type]) error {
	real, _, err := realKind(precision, rang)
	if err != nil {
		return err
	}
	return p.f90(f90Type{COMBINER_F90_REAL, precision, rang}, real, []int64{int64(precision), int64(rang)}, newtype)
}

// Type_create_f90_complex is MPI_Type_create_f90_complex.
func (p *Process) Type_create_f90_complex(precision, rang int, newtype Ptr[Type]) error {
	_, complex, err := realKind(precision, rang)
	if err != nil {
		return err
	}
	return p.f90(f90Type{COMBINER_F90_COMPLEX, precision, rang}, complex,
		[]int64{int64(precision), int64(rang)}, newtype)
}

// Type_create_f90_integer is MPI_Type_create_f90_integer.
func (p *Process) Type_create_f90_integer(rang int, newtype Ptr[Type]) error {
	for _, k := range []struct {
		rang int
		like Type
	}{{2, INTEGER1}, {4, INTEGER2}, {9, INTEGER4}, {18, INTEGER8}, {38, INTEGER16}} {
		if rang <= k.rang {
			return p.f90(f90Type{COMBINER_F90_INTEGER, 0, rang}, k.like, []int64{int64(rang)}, newtype)
		}
	}
	return fail(ERR_ARG, "no INTEGER has a decimal range of %d", rang)
}
