package capi

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/msg/comm"
)

// communicator is what a handle of a communicator stands for.
type communicator struct {
	c        *comm.Comm
	handle   Comm
	handler  *errhandler
	name     string
	made     origin
	weighted bool           // of a distributed graph: the program has given weights
	sessions bool           // of the Sessions Model: without the attributes of the World Model
	attached attachedBuffer // for messages on this communicator alone

	messages, collectives *owner                // of the requests of those that were begun
	lists                 atomic.Pointer[lists] // of collective operations; nil: none yet, or in use
	attributes
}

// newCommunicator completes a communicator.
func newCommunicator(c *communicator) *communicator {
	c.made = process.here()
	c.messages = newOwner(&owner{on: c})
	c.collectives = newOwner(&owner{on: c, collective: true})
	return c
}

// title names the communicator for messages to people.
func (c *communicator) title() string {
	if c.name != "" {
		return c.name
	}
	return c.made.object("communicator", uintptr(c.handle))
}

// comm returns the communicator of a handle.
func (p *Process) comm(c Comm) (*communicator, error) {
	switch c {
	case COMM_WORLD:
		return p.world, nil
	case COMM_SELF:
		return p.self, nil
	}
	if on := p.comms.get(uintptr(c)); on != nil {
		return on, nil
	}
	return nil, wrongHandle(kindComm, uintptr(c))
}

// intra returns the communicator of a handle, which is no intercommunicator.
func (p *Process) intra(c Comm) (*communicator, error) {
	on, err := p.comm(c)
	if err == nil && on.inter() {
		return nil, fail(ERR_COMM, "%s is an intercommunicator: pass one of a single group", on.title())
	}
	return on, err
}

// inter tells whether it is an intercommunicator.
func (c *communicator) inter() bool { return comm.RemoteGroup(c.c) != nil }

// adopt gives a new communicator of the packages below a handle. It has the error handler of
// the one that it was made from. Of nil the handle is MPI_COMM_NULL.
func (p *Process) adopt(c *comm.Comm, from *communicator, out Ptr[Comm]) *communicator {
	if c == nil {
		out.Set(COMM_NULL)
		return nil
	}
	n := newCommunicator(&communicator{c: c, handler: from.handler, sessions: from.sessions})
	n.handle = Comm(p.comms.add(n))
	p.mu.Lock()
	p.known[c] = n
	p.mu.Unlock()
	out.Set(n.handle)
	return n
}

// made is adopt of what a call has returned. After an error the program finds no communicator.
func (p *Process) made(c *comm.Comm, err error, from *communicator, out Ptr[Comm]) error {
	if err != nil {
		out.Set(COMM_NULL)
		return err
	}
	p.adopt(c, from, out)
	return nil
}

// comparisons are the constants of the ABI.
var comparisons = [...]int{comm.Identical: IDENT, comm.Congruent: CONGRUENT,
	comm.Similar: SIMILAR, comm.Unequal: UNEQUAL}

// Comm_set_name is MPI_Comm_set_name.
func (p *Process) Comm_set_name(on *communicator, name CString) error {
	text, err := name.given()
	if err != nil {
		return err
	}
	on.name = text
	on.c.SetName(text)
	return nil
}

// Comm_get_name is MPI_Comm_get_name.
func (p *Process) Comm_get_name(c Comm, name OutString, length Ref) error {
	if c == COMM_NULL {
		length.Set(name.Set("MPI_COMM_NULL", MAX_OBJECT_NAME))
		return nil
	}
	on, err := p.comm(c)
	if err != nil {
		return err
	}
	length.Set(name.Set(on.name, MAX_OBJECT_NAME))
	return nil
}

func (p *Process) remote(c Comm) (*comm.Group, error) {
	on, err := p.comm(c)
	if err == nil && !on.inter() {
		err = fail(ERR_COMM, "%s is no intercommunicator", on.title())
	}
	if err != nil {
		return nil, err
	}
	return comm.RemoteGroup(on.c), nil
}

// Comm_free is MPI_Comm_free.
func (p *Process) Comm_free(c Ptr[Comm]) error { return p.endComm(c, (*comm.Comm).Free) }

// endComm is MPI_Comm_free, or another call that ends a communicator.
func (p *Process) endComm(c Ptr[Comm], end func(*comm.Comm) error) error {
	on, err := p.comm(c.Get())
	if err != nil {
		return err
	}
	if on == p.world || on == p.self {
		return fail(ERR_COMM, "%s cannot be freed: it ends with MPI_Finalize", on.title())
	}
	if err := p.deleteAll(uintptr(on.handle), &on.attributes); err != nil {
		return err
	}
	p.comms.remove(uintptr(on.handle))
	p.mu.Lock()
	delete(p.known, on.c)
	p.mu.Unlock()
	c.Set(COMM_NULL)
	return end(on.c)
}
