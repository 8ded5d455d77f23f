package comm

import (
	"errors"
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
	key   *Keyval
	value any
}

// SetName gives the communicator a name for messages to people, on this rank.
func (c *Comm) SetName(name string) {
	if c == nil {
		return
	}
	c.notes.mu.Lock()
	c.notes.name = name
	c.notes.mu.Unlock()
}

// Name returns the name given on this rank; that of the world is "world" at first, those of others
// "".
func (c *Comm) Name() string {
	if c == nil {
		return ""
	}
	c.notes.mu.Lock()
	defer c.notes.mu.Unlock()
	return c.notes.name
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
	n := &c.notes
	n.mu.Lock()
	i := n.index(k)
	if i < 0 {
		n.attached = append(n.attached, attached{k, value})
		n.mu.Unlock()
		return nil
	}
	old := n.attached[i].value
	n.attached[i].value = value
	n.mu.Unlock()
	return Wrap(op, k.removed(c, old))
}

// Attribute returns the value that c has for this key; ok tells whether there is one.
//
// MPI 4.1 section 7.7.2 (MPI_Comm_get_attr).
func (c *Comm) Attribute(k *Keyval) (value any, ok bool) {
	if c == nil {
		return nil, false
	}
	n := &c.notes
	n.mu.Lock()
	defer n.mu.Unlock()
	if i := n.index(k); i >= 0 {
		return n.attached[i].value, true
	}
	return nil, false
}

// DeleteAttribute removes the value that c has for this key, if there is one.
//
// MPI 4.1 section 7.7.2 (MPI_Comm_delete_attr).
func (c *Comm) DeleteAttribute(k *Keyval) error {
	const op = "delete attribute"
	if err := c.made(); err != nil {
		return Wrap(op, err)
	}
	n := &c.notes
	n.mu.Lock()
	i := n.index(k)
	if i < 0 {
		n.mu.Unlock()
		return nil
	}
	old := n.attached[i].value
	n.attached = slices.Delete(n.attached, i, i+1)
	n.mu.Unlock()
	return Wrap(op, k.removed(c, old))
}

func (k *Keyval) removed(from *Comm, value any) error {
	if k.Delete == nil {
		return nil
	}
	return k.Delete(from, value)
}

// index returns where the value of a key is, -1 if there is none. mu is held.
func (n *notes) index(key *Keyval) int {
	return slices.IndexFunc(n.attached, func(a attached) bool { return a.key == key })
}

// copyAttributes returns what a copy of c is to have.
func (c *Comm) copyAttributes() (copies []attached, err error) {
	if err := c.usable(); err != nil {
		return nil, err
	}
	c.notes.mu.Lock()
	all := slices.Clone(c.notes.attached)
	c.notes.mu.Unlock()
	for _, a := range all {
		if a.key.Copy == nil {
			continue
		}
		value, ok, err := a.key.Copy(c, a.value)
		if err != nil {
			return nil, err
		}
		if ok {
			copies = append(copies, attached{a.key, value})
		}
	}
	return copies, nil
}

// removeAttributes removes all, the last first.
func (c *Comm) removeAttributes() (failed error) {
	c.notes.mu.Lock()
	all := c.notes.attached
	c.notes.attached = nil
	c.notes.mu.Unlock()
	for _, a := range slices.Backward(all) {
		failed = errors.Join(failed, a.key.removed(c, a.value))
	}
	return failed
}
