package comm

import (
	"errors"
	"math"
	"slices"

	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
)

// Free ends the communicator.
func (c *Comm) Free() (err error) {
	const op = "free"
	if c.made() == nil {
		defer c.letGo()
	}
	if c.made() == nil && (c.isWorld() || c.permanent) {
		return Wrap(op, ErrWorld)
	}
	if done, err := freeRevoked(c); done {
		return err
	}
	if err := c.enter(op); err != nil {
		return Wrap(op, err)
	}
	defer leave(c, op, &err)
	err = c.attributes.clear(c)
	if !c.state.CompareAndSwap(plain, freed) && !c.state.CompareAndSwap(ready, freed) { // it was revoked meanwhile
		_, late := freeRevoked(c)
		return Wrap(op, errors.Join(err, late))
	}
	if near(c, c.members.ranks[0]) {
		job.NoteFreed(c.root, c.group.self, collective.of(idOf(c.context)))
	}
	c.contexts.unfreed.remove(c)
	c.unlink()
	c.team.FreeGraphs()
	freeConsensus(c)
	return Wrap(op, errors.Join(err, c.retire()))
}

// retire begins to give back the id of c, and the shared memory of its collective operations. The caller is inside.
//
// # When an id can be used again
//
// Free may come while operations are underway: they go on, and later calls wait for them. A member has settled when it
// has none left, also none that is persistent, and no message that was not received. It cannot begin another one, as
// only a communicator or a persistent request does. A message to such a member has come if there was a receive for it.
// If there was none, there never will be one. Each member finds out about itself, again and again, in calls that make
// and free communicators.
//
// Members that have settled say so along a tree of two levels, by one empty message each. On each node the first member
// hears of the others there, and rank 0 of the communicator hears of all first members. If all members meet at one
// place rank 0 hears of all. A member that has settled may have heard of all below it. Then it knows that they have
// done with the shared memory that it has made for them. It gives the memory to the next communicator, and then tells
// the rank above. So rank 0 is the last one, and gives the id to the next communicator. The message that tells a member
// of that id, or of the memory, comes after all this.
//
// A member that ends before it has settled tells nothing. Then neither is used again.
func (c *Comm) retire() error {
	t := c.everyone()
	r := &retirement{comm: c}
	var below []int32
	r.above, below = tree(c)
	for _, member := range below {
		request, err := c.engine.Irecv(t.Context, int(member), t.Tag, nil)
		if err != nil {
			return err // and the id is never used again
		}
		r.below = append(r.below, request)
	}
	c.contexts.retire(r)
	c.contexts.settle()
	return nil
}

// tree returns which rank of the job this member tells that it has settled, and which ranks tell it. The last one to
// know tells nobody: -1.
func tree(c *Comm) (above int32, below []int32) {
	top, self := c.members.ranks[0], int32(c.group.self)
	one := c.visited || c.root.Nodes() == 1 // all meet at one place
	switch {
	case one && self == top:
		return -1, c.members.ranks[1:]
	case one:
		return top, nil
	}
	first := map[int]int32{c.root.Node(int(top)): top} // members of nodes
	above = -1
	for _, member := range c.members.ranks[1:] {
		node := c.root.Node(int(member))
		up, known := first[node]
		if !known {
			first[node], up = member, top
		}
		if up == self {
			below = append(below, member)
		}
		if member == self {
			above = up
		}
	}
	return above, below
}

// retirement is a communicator that this rank has freed, until it and all below it have settled.
type retirement struct {
	comm    *Comm
	settled bool  // this rank
	above   int32 // the rank that is told; -1: there is none
	below   []pml.Request
}

// ready tells whether this rank has settled, and all below it have or are lost.
func (r *retirement) ready() bool {
	if !r.settled && !r.settle() {
		return false
	}
	done, _ := pml.AllDone(r.below)
	return done
}

// settle finds out whether this rank has settled.
func (r *retirement) settle() bool {
	c, id := r.comm, idOf(r.comm.context)
	c.engine.Within(func(in pml.Inside) {
		r.settled = in.Idle(pointToPoint.of(id), collective.of(id), grouping.of(id), nonblocking.of(id),
			partitioned.of(id), pairing.of(id))
	})
	if r.settled {
		c.graphs.Forget(nonblocking.of(id)) // for the next one that has the id
		c.engine.Explain(pointToPoint.of(id), nil)
		c.engine.Explain(agreement.of(id), nil)
		c.engine.Explain(grouping.of(id), nil)
	}
	return r.settled
}

// retire keeps a communicator that is freed.
func (c *contexts) retire(r *retirement) {
	c.retiring.Lock()
	c.retired = append(c.retired, r)
	c.retiring.Unlock()
}

// settle gives back what is left of freed communicators. It is called where communicators are made and freed, on all
// members, and does not block.
func (c *contexts) settle() { c.settleSome(settleLooks) }

// settleAll is settle for the end of the rank.
func (c *contexts) settleAll() { c.settleSome(math.MaxInt) }

func (c *contexts) settleSome(looks int) {
	c.retiring.Lock()
	defer c.retiring.Unlock()
	for range min(len(c.retired), looks) {
		if c.turn >= len(c.retired) {
			c.turn = 0
		}
		r := c.retired[c.turn]
		if !r.ready() {
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

// use releases the team of a communicator that is ready, and tells the rank above, or has the id used again.
func (c *contexts) use(r *retirement) {
	all := true
	for i := range r.below {
		_, _, err := r.below[i].Take()
		all = all && err == nil
	}
	r.comm.team.Free(all) // all are through with their calls that block, or have gone
	switch {
	case !all:
	case r.above >= 0:
		// Posted: a blocking send would wait, when its credit is used up, for the rank above to free as many. If that
		// rank has gone there is nobody to use the id again.
		t := r.comm.everyone()
		t.Engine.Within(func(in pml.Inside) { _ = in.Post(t.Context, int(r.above), t.Tag, pml.Mark{}, nil) })
	default:
		id := idOf(r.comm.context)
		for _, member := range r.comm.members.ranks {
			if near(r.comm, member) {
				job.ForgetFreed(r.comm.root, int(member), collective.of(id))
			}
		}
		c.give(uint64(id))
	}
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
		for i := range r.below {
			r.below[i].Leave()
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
	if done, err := freeRevoked(c); done {
		return err
	}
	if err := c.enter(op); err != nil {
		return Wrap(op, err)
	}
	t := c.everyone()
	t.Explain(op)
	c.unlink() // before the exchange: after it no member is linked by c
	_, err := t.Exchange(nil)
	leave(c, "", &err)
	if errors.Is(err, ErrRevoked) {
		err = nil // meanwhile
	}
	return errors.Join(Wrap(op, outlive(c.root, err)), c.Free())
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

// letGo says that this process reads nothing any more of the private memory of ranks that have gone, if that is so: see
// job.LetGo. Calls that free communicators, shrink one, or start ranks call it before they begin or when they are over.
//
// What may read there is a message, a collective operation, or a window of memory of the program.
//
//   - The engine knows what messages and nonblocking operations are underway (Touches), and no more come of the dead.
//   - A blocking operation that has begun is found by its entry. This thread is in none. One that begins after Touches
//     sees at its begin who is dead, and enters no call that a dead member has not completed (package board). A graph
//     that is begun then ends with the loss. Each ends with an error that reads what another step of it has left there.
//   - A window is found by its communicator, until that is freed. Those that have memory of their own do not count, nor
//     do blocks that are kept: they are not private.
func (p *process) letGo() {
	end := uint32(p.root.GoneCount())
	before := job.HasLetGo(p.root, p.number)
	if end == before || !job.Survives(p.root) || p.root.BTL() != job.BTLPvas || p.finalized.Load() {
		return
	}
	var gone []int
	for rank := range p.root.Ranks() {
		if n := job.End(p.root, rank); n > before && n <= end {
			gone = append(gone, rank)
		}
	}
	if !p.engine.Touches(gone) && !p.reads(gone) {
		job.LetGo(p.root, p.number, end)
	}
}

// reads tells whether a communicator has a blocking operation underway, or a window that exposes private memory of one
// of some ranks.
func (p *process) reads(gone []int) bool {
	r := &p.revocable
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.known {
		if c.entry.Held().Load() != 0 {
			return true
		}
		if c.exposes.Load() && c.state.Load() != freed &&
			slices.ContainsFunc(gone, func(rank int) bool { return c.members.find(int32(rank)) != Undefined }) {
			return true
		}
	}
	return false
}

// Expose says that members of c read private memory of one another until c is freed.
func Expose(c *Comm) { c.exposes.Store(true) }
