package comm

import "errors"

// Free ends the communicator. It is collective: rank 0 waits for all others, which do
// not wait for anybody. Attributes are removed first. Every later call on c returns
// ErrFreed (wrapped); requests that were begun before go on, and are waited for as
// ever. The world can not be freed: ErrWorld.
//
// A message that nobody has received, and nobody is going to, is a mistake of the
// program: a later communicator may get it.
//
// The error wraps a *LostError if a rank has gone that had to be waited for. c is
// freed nevertheless.
//
// MPI 4.1 section 7.4.3 (MPI_Comm_free).
func (c *Comm) Free() error {
	const op = "free"
	if c.isWorld() || c != nil && c.permanent {
		return Wrap(op, ErrWorld)
	}
	if err := c.lockCollective(); err != nil {
		return Wrap(op, err)
	}
	defer c.mu.Unlock()
	err := c.removeAttributes()
	c.state.Store(freed)
	c.team.FreeGraphs()
	return Wrap(op, errors.Join(err, c.retire()))
}

// retire brings the id, and the shared memory of collective operations, back to whom
// they are from. The memory is used again in any case, the id if no member has anything
// left: no operation and no message. For a message that is still on its way to a member
// there either is a receive, or never will be one.
func (c *Comm) retire() error {
	t, id := c.everyone(), idOf(c.context)
	idle := c.engine.Idle(pointToPoint.of(id)) && c.engine.Idle(collective.of(id)) &&
		c.engine.Idle(grouping.of(id)) && c.engine.Idle(nonblocking.of(id))
	if idle {
		c.graphs.Forget(nonblocking.of(id)) // for the next one that has the id
	}
	if t.rank != 0 {
		verdict := []byte{0}
		if idle {
			verdict[0] = 1
		}
		return t.send(0, verdict)
	}
	for member := 1; member < len(t.ranks); member++ {
		verdict, err := t.receive(member)
		if err != nil {
			return err // and the id is never used again
		}
		idle = idle && len(verdict) == 1 && verdict[0] == 1
	}
	c.team.Free() // all are through with their collective operations
	if idle {
		c.contexts.give(id)
	}
	return nil
}
