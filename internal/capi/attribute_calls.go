package capi

import (
	"math"

	"github.com/gopvas/gopvas/internal/comm"
)

// Comm_create_keyval is MPI_Comm_create_keyval.
func (p *Process) Comm_create_keyval(copy, delete Func, key Ref, extra Address, in Language) error {
	key.Set(p.keyvals.create(keyval{of: kindComm, copy: copy, delete: delete, extra: extra, language: in}))
	return nil
}

// Comm_free_keyval is MPI_Comm_free_keyval.
func (p *Process) Comm_free_keyval(key Ref) error { return p.keyvals.free(kindComm, key) }

// Comm_set_attr is MPI_Comm_set_attr.
func (p *Process) Comm_set_attr(on *communicator, key int, value Address, in Language) error {
	return p.setAttribute(kindComm, uintptr(on.handle), &on.attributes, key, newValue(value, in))
}

// Comm_get_attr is MPI_Comm_get_attr. The predefined attributes are those of all communicators, but
// for the Sessions Model, which has MPI_TAG_UB only.
func (p *Process) Comm_get_attr(on *communicator, key int, value Ptr[Address], flag Ref, as Language) error {
	if key >= TAG_UB && key <= UNIVERSE_SIZE {
		v, ok := p.predefinedAttribute(key)
		if ok = ok && (key == TAG_UB || !on.sessions); ok {
			wantedValue{value, as}.set(v)
		}
		flag.SetBool(ok)
		return nil
	}
	return p.getAttribute(kindComm, &on.attributes, key, wantedValue{value, as}, flag)
}

// Comm_delete_attr is MPI_Comm_delete_attr.
func (p *Process) Comm_delete_attr(on *communicator, key int) error {
	return p.deleteAttribute(kindComm, uintptr(on.handle), &on.attributes, key)
}

// predefinedAttribute returns the value of a predefined attribute; ok tells whether there is one.
func (p *Process) predefinedAttribute(key int) (v attributeValue, ok bool) {
	value := 0
	switch key {
	case TAG_UB:
		value = comm.MaxTag
	case IO:
		value = ANY_SOURCE // every rank
	case HOST:
		value = PROC_NULL
	case WTIME_IS_GLOBAL:
	case LASTUSEDCODE:
		value = p.codes.lastUsed()
	case UNIVERSE_SIZE:
		value = p.world.c.Size()
	default:
		return v, false // MPI_APPNUM
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.predefined == nil {
		p.predefined = newCells(UNIVERSE_SIZE - TAG_UB + 1)
	}
	cell := (*[1]uint64)(p.predefined[key-TAG_UB:])
	cell[0] = uint64(min(value, math.MaxInt32))
	return attributeValue{set: inInteger, integer: cell}, true
}

// Keyval_create is MPI_Keyval_create.
func (p *Process) Keyval_create(copy, delete Func, key Ref, extra Address, in Language) error {
	return p.Comm_create_keyval(copy, delete, key, extra, in)
}

// Keyval_free is MPI_Keyval_free.
func (p *Process) Keyval_free(key Ref) error { return p.Comm_free_keyval(key) }

// Attr_put is MPI_Attr_put.
func (p *Process) Attr_put(on *communicator, key int, value Address, in Language) error {
	return p.Comm_set_attr(on, key, value, in)
}

// Attr_get is MPI_Attr_get.
func (p *Process) Attr_get(on *communicator, key int, value Ptr[Address], flag Ref, as Language) error {
	return p.Comm_get_attr(on, key, value, flag, as)
}

// Attr_delete is MPI_Attr_delete.
func (p *Process) Attr_delete(on *communicator, key int) error { return p.Comm_delete_attr(on, key) }

// Type_create_keyval is MPI_Type_create_keyval.
func (p *Process) Type_create_keyval(copy, delete Func, key Ref, extra Address, in Language) error {
	key.Set(p.keyvals.create(keyval{of: kindType, copy: copy, delete: delete, extra: extra, language: in}))
	return nil
}

// Type_free_keyval is MPI_Type_free_keyval.
func (p *Process) Type_free_keyval(key Ref) error { return p.keyvals.free(kindType, key) }

// Type_set_attr is MPI_Type_set_attr.
func (p *Process) Type_set_attr(t Type, key int, value Address, in Language) error {
	o, err := p.typeOf(t)
	if err != nil {
		return err
	}
	return p.setAttribute(kindType, uintptr(t), &o.attributes, key, newValue(value, in))
}

// Type_get_attr is MPI_Type_get_attr.
func (p *Process) Type_get_attr(o *typeObject, key int, value Ptr[Address], flag Ref, as Language) error {
	return p.getAttribute(kindType, &o.attributes, key, wantedValue{value, as}, flag)
}

// Type_delete_attr is MPI_Type_delete_attr.
func (p *Process) Type_delete_attr(t Type, key int) error {
	o, err := p.typeOf(t)
	if err != nil {
		return err
	}
	return p.deleteAttribute(kindType, uintptr(t), &o.attributes, key)
}

// Win_create_keyval is MPI_Win_create_keyval.
func (p *Process) Win_create_keyval(copy, delete Func, key Ref, extra Address, in Language) error {
	key.Set(p.keyvals.create(keyval{of: kindWin, copy: copy, delete: delete, extra: extra, language: in}))
	return nil
}

// Win_free_keyval is MPI_Win_free_keyval.
func (p *Process) Win_free_keyval(key Ref) error { return p.keyvals.free(kindWin, key) }

// Win_get_name is MPI_Win_get_name. There are no windows, but the null handle has a name.
func (p *Process) Win_get_name(w Win, name OutString, length Ref) error {
	if w != WIN_NULL {
		return wrongHandle(kindWin, uintptr(w))
	}
	length.Set(name.Set("MPI_WIN_NULL", MAX_OBJECT_NAME))
	return nil
}
