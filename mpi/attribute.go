package mpi

import "github.com/gopvas/gopvas/internal/msg/comm"

// Attribute is a key by which a library keeps a value of its own with each
// communicator it is used on. Values are of one process and go nowhere. Make one with
// NewAttribute, once, and use it for any number of communicators.
type Attribute[T any] struct{ key comm.Keyval }

// NewAttribute returns a new key. Dup calls onCopy with the communicator it copies and
// the value there, and gives the copy the value that onCopy returns if it also returns
// true; a nil onCopy copies nothing. onRemove, unless it is nil, is called with a value
// that is replaced or deleted, or whose communicator is freed. Neither may call
// collective operations or Free.
//
// MPI 4.1 section 7.7.2 (MPI_Comm_create_keyval).
func NewAttribute[T any](onCopy func(from *Comm, value T) (T, bool), onRemove func(from *Comm, value T)) *Attribute[T] {
	a := new(Attribute[T])
	if onCopy != nil {
		a.key.Copy = func(from *comm.Comm, value any) (any, bool, error) {
			copied, ok := onCopy((*Comm)(from), as[T](value))
			return copied, ok, nil
		}
	}
	if onRemove != nil {
		a.key.Delete = func(from *comm.Comm, value any) error {
			onRemove((*Comm)(from), as[T](value))
			return nil
		}
	}
	return a
}

// keyval is nil for a nil Attribute: no communicator has a value for it, or can get one.
func (a *Attribute[T]) keyval() *comm.Keyval {
	if a == nil {
		return nil
	}
	return &a.key
}

// as is a value of T that was kept as any. A nil interface has lost its type, and is the
// zero value.
func as[T any](value any) T {
	v, _ := value.(T)
	return v
}

// Set gives c the value, in place of the one it has for this key. The error wraps
// ErrFreed or ErrFinalized.
//
// MPI 4.1 section 7.7.2 (MPI_Comm_set_attr).
func (a *Attribute[T]) Set(c *Comm, value T) error { return c.inner().SetAttribute(a.keyval(), value) }

// Get returns the value that c has for this key; ok tells whether there is one.
//
// MPI 4.1 section 7.7.2 (MPI_Comm_get_attr).
func (a *Attribute[T]) Get(c *Comm) (value T, ok bool) {
	v, ok := c.inner().Attribute(a.keyval())
	return as[T](v), ok
}

// Delete removes the value that c has for this key, if there is one.
//
// MPI 4.1 section 7.7.2 (MPI_Comm_delete_attr).
func (a *Attribute[T]) Delete(c *Comm) {
	_ = c.inner().DeleteAttribute(a.keyval()) // its callback has no error
}
