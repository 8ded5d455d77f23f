package mpi

import (
	"slices"
	"sync"
)

// notes is what programs write on a communicator. Each rank has its own.
type notes struct {
	mu       sync.Mutex
	name     string
	attached []attached // in the order in which they were first set
}

type attached struct {
	key   attribute
	value any
}

// attribute is an *Attribute of any type.
type attribute interface {
	copied(from *Comm, value any) (any, bool)
	removed(from *Comm, value any)
}

// SetName gives the communicator a name for messages to people, on this rank. "" is
// none. It is local.
//
// MPI 4.1 section 7.8 (MPI_Comm_set_name).
func (c *Comm) SetName(name string) {
	c.notes.mu.Lock()
	c.notes.name = name
	c.notes.mu.Unlock()
}

// Name returns the name given on this rank; that of the world is "world" at first,
// those of others "".
//
// MPI 4.1 section 7.8 (MPI_Comm_get_name).
func (c *Comm) Name() string {
	c.notes.mu.Lock()
	defer c.notes.mu.Unlock()
	return c.notes.name
}

// Attribute is a key by which a library keeps a value of its own with each
// communicator it is used on. Values are of one process and go nowhere. Make one with
// NewAttribute, once, and use it for any number of communicators.
type Attribute[T any] struct {
	onCopy   func(from *Comm, value T) (T, bool)
	onRemove func(from *Comm, value T)
}

// NewAttribute returns a new key. Dup calls onCopy with the communicator it copies and
// the value there, and gives the copy the value that onCopy returns if it also returns
// true; a nil onCopy copies nothing. onRemove, unless it is nil, is called with a value
// that is replaced or deleted, or whose communicator is freed. Neither may call
// collective operations or Free.
//
// MPI 4.1 section 7.7.2 (MPI_Comm_create_keyval).
func NewAttribute[T any](onCopy func(from *Comm, value T) (T, bool), onRemove func(from *Comm, value T)) *Attribute[T] {
	return &Attribute[T]{onCopy, onRemove}
}

// Set gives c the value, in place of the one it has for this key. The error wraps
// ErrFreed or ErrFinalized.
//
// MPI 4.1 section 7.7.2 (MPI_Comm_set_attr).
func (a *Attribute[T]) Set(c *Comm, value T) error {
	if err := c.usable(); err != nil {
		return opError("set attribute", err)
	}
	n := &c.notes
	n.mu.Lock()
	i := n.index(a)
	if i < 0 {
		n.attached = append(n.attached, attached{a, value})
		n.mu.Unlock()
		return nil
	}
	old := n.attached[i].value
	n.attached[i].value = value
	n.mu.Unlock()
	a.removed(c, old)
	return nil
}

// Get returns the value that c has for this key; ok tells whether there is one.
//
// MPI 4.1 section 7.7.2 (MPI_Comm_get_attr).
func (a *Attribute[T]) Get(c *Comm) (value T, ok bool) {
	n := &c.notes
	n.mu.Lock()
	defer n.mu.Unlock()
	if i := n.index(a); i >= 0 {
		value, _ = n.attached[i].value.(T) // a nil interface fails, and is the zero value
		return value, true
	}
	return value, false
}

// Delete removes the value that c has for this key, if there is one.
//
// MPI 4.1 section 7.7.2 (MPI_Comm_delete_attr).
func (a *Attribute[T]) Delete(c *Comm) {
	n := &c.notes
	n.mu.Lock()
	i := n.index(a)
	if i < 0 {
		n.mu.Unlock()
		return
	}
	old := n.attached[i].value
	n.attached = slices.Delete(n.attached, i, i+1)
	n.mu.Unlock()
	a.removed(c, old)
}

func (a *Attribute[T]) copied(from *Comm, value any) (any, bool) {
	if a.onCopy == nil {
		return nil, false
	}
	v, _ := value.(T)
	return a.onCopy(from, v)
}

func (a *Attribute[T]) removed(from *Comm, value any) {
	if a.onRemove != nil {
		v, _ := value.(T)
		a.onRemove(from, v)
	}
}

// index returns where the value of a key is, -1 if there is none. mu is held.
func (n *notes) index(key attribute) int {
	return slices.IndexFunc(n.attached, func(a attached) bool { return a.key == key })
}

// copyAttributes gives a copy of c, which nobody else knows yet, what is to be copied.
func (c *Comm) copyAttributes(to *Comm) {
	c.notes.mu.Lock()
	all := slices.Clone(c.notes.attached)
	c.notes.mu.Unlock()
	for _, a := range all {
		if value, ok := a.key.copied(c, a.value); ok {
			to.notes.attached = append(to.notes.attached, attached{a.key, value})
		}
	}
}

// removeAttributes removes all, the last first.
func (c *Comm) removeAttributes() {
	c.notes.mu.Lock()
	all := c.notes.attached
	c.notes.attached = nil
	c.notes.mu.Unlock()
	for _, a := range slices.Backward(all) {
		a.key.removed(c, a.value)
	}
}
