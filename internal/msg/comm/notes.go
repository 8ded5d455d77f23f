package comm

import (
	"errors"
	"slices"
	"sync"
)

// attributes are the values that libraries keep with a communicator, in the order in which they were first set. Each
// rank has its own.
type attributes struct {
	mu  sync.Mutex
	all []attached
}

type attached struct {
	key   *Keyval
	value any
}

// SetName gives the communicator a name for messages to people, on this rank.
func (c *Comm) SetName(name string) {
	if c != nil {
		c.name.Store(&name)
	}
}

// Name returns the name given on this rank; that of the world is "world" at first, those of others
// "".
func (c *Comm) Name() string {
	if c == nil {
		return ""
	}
	if name := c.name.Load(); name != nil {
		return *name
	}
	return ""
}

// Keyval is a key by which a library keeps a value of its own with each communicator it
// is used on (a keyval of MPI). Values are of one process and go nowhere. The callbacks do
// not change, and call neither collective operations nor Free.
type Keyval struct {
	// Copy is called by Dup with the communicator that it copies and the value there.
	// If it returns true, the copy of the communicator has the value that it returns. Its
	// error is an error of Dup on all ranks. nil copies nothing.
	Copy func(from *Comm, value any) (copied any, ok bool, err error)

	// Delete is called with a value that is replaced or deleted, or whose communicator
	// is freed. Its error is that of the call, which has done its work nevertheless. nil
	// does nothing.
	Delete func(from *Comm, value any) error
}

var errNoKey = errors.New("the key is nil: make it first")

// SetAttribute gives c the value, in place of the one it has for this key. The error
// wraps ErrFreed or ErrFinalized, or is that of Delete.
//
// MPI 4.1 section 7.7.2 (MPI_Comm_set_attr).
func (c *Comm) SetAttribute(k *Keyval, value any) error {
	const op = "set attribute"
	if err := c.usable(); err != nil {
		return Wrap(op, err)
	}
	if k == nil {
		return Wrap(op, errNoKey)
	}
	old, had := c.attributes.set(k, value)
	if !had {
		return nil
	}
	return Wrap(op, k.removed(c, old))
}

// Attribute returns the value that c has for this key; ok tells whether there is one.
//
// MPI 4.1 section 7.7.2 (MPI_Comm_get_attr).
func (c *Comm) Attribute(k *Keyval) (value any, ok bool) {
	if c == nil {
		return nil, false
	}
	return c.attributes.get(k)
}

// DeleteAttribute removes the value that c has for this key, if there is one.
//
// MPI 4.1 section 7.7.2 (MPI_Comm_delete_attr).
func (c *Comm) DeleteAttribute(k *Keyval) error {
	const op = "delete attribute"
	if err := c.made(); err != nil {
		return Wrap(op, err)
	}
	old, had := c.attributes.remove(k)
	if !had {
		return nil
	}
	return Wrap(op, k.removed(c, old))
}

func (k *Keyval) removed(from *Comm, value any) error {
	if k.Delete == nil {
		return nil
	}
	return k.Delete(from, value)
}

// index returns where the value of a key is, -1 if there is none. mu is held.
func (a *attributes) index(key *Keyval) int {
	return slices.IndexFunc(a.all, func(at attached) bool { return at.key == key })
}

// get returns the value of a key.
func (a *attributes) get(key *Keyval) (value any, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := a.index(key); i >= 0 {
		return a.all[i].value, true
	}
	return nil, false
}

// set gives a key a value, and returns the one that it had.
func (a *attributes) set(key *Keyval, value any) (old any, had bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := a.index(key)
	if i < 0 {
		a.all = append(a.all, attached{key, value})
		return nil, false
	}
	old, a.all[i].value = a.all[i].value, value
	return old, true
}

// remove removes a key, and returns the value that it had.
func (a *attributes) remove(key *Keyval) (old any, had bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := a.index(key)
	if i < 0 {
		return nil, false
	}
	old = a.all[i].value
	a.all = slices.Delete(a.all, i, i+1)
	return old, true
}

// copiesOf returns the attributes that a copy of a communicator is to have.
func copiesOf(from *Comm) (copies []attached, err error) {
	if err := from.usable(); err != nil {
		return nil, err
	}
	a := &from.attributes
	a.mu.Lock()
	all := slices.Clone(a.all)
	a.mu.Unlock()
	for _, at := range all {
		if at.key.Copy == nil {
			continue
		}
		value, ok, err := at.key.Copy(from, at.value)
		if err != nil {
			return nil, err
		}
		if ok {
			copies = append(copies, attached{at.key, value})
		}
	}
	return copies, nil
}

// clear removes all from a communicator, the last first.
func (a *attributes) clear(from *Comm) (failed error) {
	a.mu.Lock()
	all := a.all
	a.all = nil
	a.mu.Unlock()
	for _, at := range slices.Backward(all) {
		failed = errors.Join(failed, at.key.removed(from, at.value))
	}
	return failed
}
