package comm

import (
	"errors"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/pml"
)

// Free ends the communicator.
func (c *Comm) Free() (err error) {
	const op = "free"
	if c.made() == nil && (c.isWorld() || c.permanent) {
		return Wrap(op, ErrWorld)
	}
	if err := c.enter(op); err != nil {
		return Wrap(op, err)
	}
	defer leave(c, op, &err)
	err = c.attributes.clear(c)
	c.state.Store(freed)
	if near(c, c.members.ranks[0]) {
		job.NoteFreed(c.root, c.group.self, collective.of(idOf(c.context)))
	}
	c.contexts.unfreed.remove(c)
	c.unlink()
	c.team.FreeGraphs()
	return Wrap(op, errors.Join(err, c.retire()))
}

// retire gives the id, and the shared memory of collective operations, back to the ranks that
// they are from. The memory is used again in any case. The id is used again if no member has
// an operation or a message left. For a message that is still on its way to a member there
// either is a receive, or never will be one. The caller is inside.
func (c *Comm) retire() error {
	t, id := c.everyone(), idOf(c.context)
	idle := false
	c.engine.Within(func(in pml.Inside) {
		idle = in.Idle(pointToPoint.of(id), collective.of(id), grouping.of(id), nonblocking.of(id), partitioned.of(id),
			pairing.of(id))
	})
	if idle {
		c.graphs.Forget(nonblocking.of(id)) // for the next one that has the id
	}
	c.engine.Explain(pointToPoint.of(id), nil)
	c.engine.Explain(agreement.of(id), nil)
	c.engine.Explain(grouping.of(id), nil)
	if t.Rank != 0 {
		verdict := []byte{0}
		if idle {
			verdict[0] = 1
		}
		// Posted: a blocking send would wait, when its credit is used up, for rank 0 to free as many. If rank 0 has
		// gone there is nobody to use the id again.
		var err error
		c.engine.Within(func(in pml.Inside) { err = in.Post(t.Context, int(t.Ranks[0]), t.Tag, pml.Mark{}, verdict) })
		return err
	}
	r := &retirement{comm: c, id: id, idle: idle, verdicts: make([]byte, len(t.Ranks))}
	for member := 1; member < len(t.Ranks); member++ {
		request, err := c.engine.Irecv(t.Context, int(t.Ranks[member]), t.Tag, r.verdicts[member:member+1])
		if err != nil {
			return err // and the id is never used again
		}
		r.requests = append(r.requests, request)
	}
	c.contexts.retire(r)
	c.contexts.settle()
	return nil
}

// retirement is a communicator that was led by this rank and freed, until all members have
// said that they are done with it.
type retirement struct {
	comm     *Comm
	id       uint32
	idle     bool   // on this rank
	verdicts []byte // of the others: 1 means idle
	requests []pml.Request
}

// retire keeps a communicator that is freed.
func (c *contexts) retire(r *retirement) {
	c.retiring.Lock()
	c.retired = append(c.retired, r)
	c.retiring.Unlock()
}

// settle uses again what the freed communicators have left that all members are done with. It
// is called where communicators are made and freed, and does not block. If a member has gone
// without having freed a communicator, the id is not used again.
func (c *contexts) settle() {
	c.retiring.Lock()
	defer c.retiring.Unlock()
	for range min(len(c.retired), settleLooks) {
		if c.turn >= len(c.retired) {
			c.turn = 0
		}
		r := c.retired[c.turn]
		if done, _ := pml.AllDone(r.requests); !done {
			c.turn++
			continue
		}
		last := len(c.retired) - 1
		c.retired[c.turn], c.retired[last] = c.retired[last], nil
		c.retired = c.retired[:last]
		c.use(r)
	}
}

// settleLooks bounds the communicators that one call of settle looks at, in turn. To make and to free a communicator
// calls settle twice. So it looks at more communicators than are freed, however many of them wait for members.
const settleLooks = 4

// use releases the team of a communicator that all members have freed, and its id for another one if it is idle.
func (c *contexts) use(r *retirement) {
	idle := r.idle
	for i := range r.requests {
		_, _, err := r.requests[i].Take()
		idle = idle && err == nil && r.verdicts[i+1] == 1
	}
	r.comm.team.Free(idle) // all are through with their calls that block, or have gone
	if !idle {
		return
	}
	for _, member := range r.comm.members.ranks {
		if near(r.comm, member) {
			job.ForgetFreed(r.comm.root, int(member), collective.of(r.id))
		}
	}
	c.give(uint64(r.id))
}

// near tells whether a member of c is on this node and of this job.
func near(c *Comm, member int32) bool {
	return !c.visited && c.root.Node(int(member)) == c.root.Node(c.group.self)
}

// abandon ends all waits for members. Finalize calls it.
func (c *contexts) abandon() {
	c.retiring.Lock()
	defer c.retiring.Unlock()
	for _, r := range c.retired {
		for i := range r.requests {
			r.requests[i].Leave()
		}
	}
	c.retired = nil
}

// Disconnect is Free that waits until all members have called it. Then the worlds of the members are no longer
// connected by this communicator: see job.Root.Linked.
//
// MPI 4.1 section 11.10.4 (MPI_Comm_disconnect).
func Disconnect(c *Comm) error {
	const op = "disconnect"
	if c.made() == nil && (c.isWorld() || c.permanent) {
		return Wrap(op, ErrWorld)
	}
	if err := c.enter(op); err != nil {
		return Wrap(op, err)
	}
	t := c.everyone()
	t.Explain(op)
	c.unlink() // before the exchange: after it no member is linked by c
	_, err := t.Exchange(nil)
	leave(c, "", &err)
	return errors.Join(Wrap(op, err), c.Free())
}

// link notes, if there are ranks of several worlds among some, that this one is connected to others. It tells whether
// it did.
func (p *process) link(ranks []int32) bool {
	if !p.root.Several(p.number) {
		return false
	}
	w := p.root.World(p.number)
	for _, rank := range ranks {
		if !w.Has(int(rank)) && !p.root.Visits(int(rank)) {
			p.root.AddLink(p.number, 1)
			return true
		}
	}
	return false
}

func (c *Comm) unlink() {
	if c.linked {
		c.linked = false
		c.root.AddLink(c.group.self, -1)
	}
}
