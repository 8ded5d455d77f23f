package capi

import "github.com/gopvas/gopvas/datatype"

// Sizes, bounds, names and the life of datatypes.

// Type_size is MPI_Type_size. Of a type that is not supported it is MPI_UNDEFINED: MPI 5.0 section 20.4.
func (p *Process) Type_size(t Type, size Ref) error {
	o, err := p.typeOf(t)
	if err == nil {
		size.SetCount(int(o.Size()))
	} else if _, ok := halfPrecision[t]; ok {
		size.SetCount(UNDEFINED)
		return nil
	}
	return err
}

// Type_commit is MPI_Type_commit.
func (p *Process) Type_commit(t Ptr[Type]) error {
	o, err := p.typeOf(t.Get())
	if err == nil {
		o.Flat() // made now, and not by the first message
		o.committed.Store(true)
	}
	return err
}

// Type_free is MPI_Type_free. It takes the handle away: what uses the type goes on with it.
func (p *Process) Type_free(t Ptr[Type]) error {
	h := t.Get()
	o, err := p.typeOf(h)
	switch {
	case err != nil:
		return err
	case o.predefined:
		return fail(ERR_TYPE, "%s is predefined and cannot be freed", o.label())
	}
	if err := p.deleteAll(uintptr(h), &o.attributes); err != nil {
		return err
	}
	forgetSize(uintptr(h))
	types.remove(uintptr(h))
	t.Set(DATATYPE_NULL)
	return nil
}

// Type_set_name is MPI_Type_set_name.
func (p *Process) Type_set_name(o *typeObject, name CString) error {
	text, err := name.given()
	if err != nil {
		return err
	}
	text = text[:min(len(text), MAX_OBJECT_NAME-1)]
	o.name.Store(&text)
	return nil
}

// Type_get_name is MPI_Type_get_name.
func (p *Process) Type_get_name(t Type, name OutString, length Ref) error {
	if t == DATATYPE_NULL {
		length.Set(name.Set("MPI_DATATYPE_NULL", MAX_OBJECT_NAME))
		return nil
	}
	o, err := p.typeOf(t)
	if err != nil {
		return err
	}
	text := ""
	if n := o.name.Load(); n != nil {
		text = *n
	}
	length.Set(name.Set(text, MAX_OBJECT_NAME))
	return nil
}

// Type_dup is MPI_Type_dup.
func (p *Process) Type_dup(oldtype Type, newtype Ptr[Type]) error {
	old, err := p.typeOf(oldtype)
	if err != nil {
		return err
	}
	t, err := datatype.Dup(old.Type)
	if err != nil {
		return err
	}
	newtype.Set(DATATYPE_NULL) // if a callback refuses to copy an attribute
	copies, err := p.copyAll(uintptr(oldtype), &old.attributes)
	if err != nil {
		return err
	}
	o := newTypeObject(t, nil, old)
	o.combiner, o.attributes = COMBINER_DUP, copies
	o.committed.Store(old.committed.Load())
	return p.newType(o, newtype)
}
