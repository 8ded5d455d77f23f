package cad

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/pml"
	"github.com/gopvas/gopvas/shm"
)

// Contributions: a short operation that needs all members, in one address space, without a
// graph. Each member writes what it gives into memory of its own that all can read. A member
// that finds the contributions of all takes its result from them, in its own calls. That is one
// cache line from each member to each. Nobody has to do anything for another member after the
// call that begins the operation.
//
// # Slots
//
// A member has contributionSlots slots for a channel and uses them in turn. It contributes to
// operation p (the p-th on the channel, of this kind) only when its own operations before
// p-ahead are complete. So a member that has completed p-ahead knows that all members have
// contributed to p-ahead, and hence have completed all before p-2*ahead+1. The slot of operation
// p was used for p-contributionSlots, which is 2*ahead before p: all members have taken from it.
// So no member has to tell when it has taken something. An operation that is begun too early
// contributes when the rank next makes progress.
//
// The member writes a slot and then stores its place in ready. A reader loads ready first. The
// operations of a rank on a channel end in their order.
//
// # Channels of one context
//
// A context is used again when all members of its channel have forgotten it and were idle (see
// Forget). A member that forgets it may be ahead of others, which have not taken their last
// result yet: so it clears nothing, but counts generations. What is stored in ready has the
// generation of the writer. A member reads those of all others before it contributes for the
// first time (join). Then all have forgotten the channel before, and no member can have
// forgotten this one after an operation, which needs all.
//
// # Calls that differ
//
// A contribution has the signature of the call and the number of the operation among all on the
// channel. Members with other signatures for the same operation all get an error, and the
// channel goes on. A member that has issued a graph instead does not contribute. Both sides look
// for that when their wait has lasted for some looks: this one looks for a graph of its number
// (compareIssued), and the graph for a contribution (run.compareContributed). Each has made its
// own part known before it looks, so one of them finds the other, and breaks the channel.
//
// # Members that go
//
// An operation ends with Lost if a member has gone and has not contributed. The channel is
// broken then. Nobody ever writes to memory of another member.
//
// All this runs under the lock of the engine for messages, but for join.

const (
	contributionSlots = 16
	ahead             = contributionSlots / 2

	placeBits = 40

	// ContributionData is how many bytes a member can give.
	ContributionData = 2048 - 24

	// patience is how many looks pass before a member compares what others have issued.
	patience = 64

	// longLooks is how many looks of a rank that tests, and so never sleeps, count as a long wait.
	longLooks = 1 << 12
)

// contribution is what a member gives for one operation. Only the member writes it.
type contribution struct {
	ready  atomic.Uint64 // generation, and place of the operation plus one, when all else is there
	number atomic.Uint64 // of the operation on the channel, plus one
	call   atomic.Uint64 // its signature
	data   [ContributionData]byte
}

// contributions are the slots of one member.
type contributions [contributionSlots]contribution

// Contributor is a member's part of an operation. Its methods are called under the lock of the
// engine for messages, and must not call the engine.
type Contributor interface {
	// Call returns what the operation stands for (Graph.Signature), its name for the hang report,
	// and its slot among the job's counts of calls (Graph.Slot).
	Call() (signature uint64, name string, slot int)
	// Give writes what this member gives.
	Give(page []byte)
	// Take takes the result from what all members have given.
	Take(from [][]byte) Failure
	// Over is called when the operation is over for this rank.
	Over()
}

// contributing is the state of a rank on a channel.
type contributing struct {
	begun, over uint64           // operations that were begun, and those that are complete
	members     []*contributions // nil: not found yet
	tags        []uint64         // generations of the members
	from        [][]byte         // of Take
	idle        []*contributed
}

// contributed is the task of one operation.
type contributed struct {
	e       *Engine
	channel *Channel
	part    Contributor
	call    uint64
	place   uint64 // among the operations on the channel that are contributed to
	number  uint32 // among all
	given   bool
	gone    int // ranks that had gone when that was last looked at
	looks   int
	first   int // the members before this one have contributed
}

// Contribute begins an operation, as Issue does. All members of the channel do, each with a
// Contributor of the same kind.
func (e *Engine) Contribute(c *Channel, part Contributor) (pml.Request, error) {
	if c.contributing.Load() == nil {
		if err := e.join(c); err != nil {
			return pml.Request{}, err
		}
	}
	return e.messages.BeginBy(c.Context, func() pml.Task { return e.contribution(c, part) })
}

// join makes this rank's slots for a channel, and makes them known.
func (e *Engine) join(c *Channel) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	if c.contributing.Load() != nil {
		return nil
	}
	_, rec, err := e.record(c)
	if err != nil {
		return err
	}
	if rec.contributions.Load() == 0 {
		at, err := e.recordLines.take(contributionsSize / cacheLine)
		if err != nil {
			return err
		}
		rec.contributions.Store(at)
	}
	s := &contributing{members: make([]*contributions, c.Size), tags: make([]uint64, c.Size),
		from: make([][]byte, c.Size)}
	for member := range c.Size {
		if m := e.find(c.world(member), c.Context); m != nil {
			s.tags[member] = m.generation.Load() << placeBits
		}
	}
	s.members[c.Rank] = contributionsAt(rec.contributions.Load())
	c.contributing.Store(s)
	return nil
}

// contribution returns the task of an operation that begins.
func (e *Engine) contribution(c *Channel, part Contributor) *contributed {
	s := c.contributing.Load()
	var r *contributed
	if last := len(s.idle) - 1; last >= 0 {
		r, s.idle = s.idle[last], s.idle[:last]
	} else {
		r = &contributed{e: e, channel: c}
	}
	call, _, slot := part.Call()
	r.part, r.call, r.place, r.number = part, call, s.begun, c.issued.Add(1)-1
	r.given, r.gone, r.looks, r.first = false, 0, 0, 0
	s.begun++
	e.job.CountCall(e.rank, slot)
	return r
}

// Start implements pml.Task. The task is begun when it is made.
func (r *contributed) Start() error { return nil }

// Release implements pml.Task.
func (r *contributed) Release() {
	r.part.Over()
	r.part = nil
	s := r.channel.contributing.Load()
	s.idle = append(s.idle, r)
}

// Progress implements pml.Task.
func (r *contributed) Progress() (done bool, err error) {
	s := r.channel.contributing.Load()
	if !r.given && r.place < s.over+ahead {
		r.give(s)
	}
	if r.complete(s) {
		return true, r.err(r.take(s))
	}
	f := r.ended(s)
	switch {
	case f.Fault == 0:
		return false, nil
	case r.complete(s): // by now: a member has contributed, and a later operation broke the channel
		return true, r.err(r.take(s))
	}
	return true, r.err(f)
}

// complete tells whether this member can take the result.
func (r *contributed) complete(s *contributing) bool {
	return r.place == s.over && r.given && r.all(s)
}

// give writes this member's contribution. If that was the last one, it wakes the members that
// sleep: one that contributes and then finds all others. There is such a member, because each
// makes its own known before it looks.
func (r *contributed) give(s *contributing) {
	c := r.channel
	p := &s.members[c.Rank][r.place%contributionSlots]
	p.number.Store(uint64(r.number) + 1)
	p.call.Store(r.call)
	r.part.Give(p.data[:])
	shm.OrderRelease()
	p.ready.Store(s.tags[c.Rank] | (r.place + 1))
	r.given = true
	if !r.all(s) {
		return
	}
	for member := range c.Size {
		if member != c.Rank {
			r.e.job.Inbox(c.world(member)).Notify()
		}
	}
}

// all tells whether all members have contributed.
func (r *contributed) all(s *contributing) bool {
	for ; r.first < r.channel.Size; r.first++ {
		if !r.has(s, r.first) {
			return false
		}
	}
	return true
}

// has tells whether a member has contributed.
func (r *contributed) has(s *contributing, member int) bool {
	m := s.members[member]
	if m == nil {
		if m = r.e.contributionsOf(r.channel.world(member), r.channel.Context); m == nil {
			return false
		}
		s.members[member] = m
	}
	return m[r.place%contributionSlots].ready.Load() == s.tags[member]|(r.place+1)
}

// contributionsOf returns the slots of a rank for a context, nil if it has none.
func (e *Engine) contributionsOf(rank int, context uint32) *contributions {
	if rec := e.find(rank, context); rec != nil {
		if at := rec.contributions.Load(); at != 0 {
			return contributionsAt(at)
		}
	}
	return nil
}

// take takes the result, if all members have made the same call.
func (r *contributed) take(s *contributing) Failure {
	shm.OrderAcquire()
	s.over++
	for member, m := range s.members {
		p := &m[r.place%contributionSlots]
		if other := p.call.Load(); other != r.call || p.number.Load() != uint64(r.number)+1 {
			return differ(r.e.rank, r.call, r.channel.world(member), other)
		}
		s.from[member] = p.data[:]
	}
	return r.part.Take(s.from)
}

// differ returns what is wrong if two ranks do not meet in calls of these signatures.
func differ(a int, call uint64, b int, other uint64) Failure {
	if f := Between(a, call, b, other); f.Fault != 0 {
		return f
	}
	return Failure{Fault: Mismatch | Fault(b)<<16 | Fault(a)} // the same call at another time
}

// ended returns why the operation will never be complete, if so.
func (r *contributed) ended(s *contributing) Failure {
	if b := &r.channel.own.broken; b.Fault() != 0 {
		if b.told.Load() == 0 && r.e.messages.GoneCount() == 0 {
			return Failure{} // the rank that is about to tell wakes this one
		}
		return b.Failure()
	}
	if n := r.e.messages.GoneCount(); n != r.gone {
		r.gone = n
		r.breakChannel(r.lost(s))
	}
	if r.given {
		r.looks++
	}
	if r.given && r.looks == patience {
		r.compareIssued(s)
	}
	if b := &r.channel.own.broken; b.Fault() != 0 {
		return b.Failure()
	}
	return Failure{}
}

// lost returns the member that has gone and has not contributed: the one that went first, since
// others often go only because of it.
func (r *contributed) lost(s *contributing) Failure {
	first, _ := r.e.job.Lost()
	found := -1
	for member := range r.channel.Size {
		rank := r.channel.world(member)
		if r.e.job.Gone(rank) && !r.has(s, member) && (found < 0 || rank == first) {
			found = rank
		}
	}
	if found < 0 {
		return Failure{}
	}
	return About(Lost, found)
}

// compareIssued breaks the channel if a member has issued a graph of the same number.
func (r *contributed) compareIssued(s *contributing) {
	for member := range r.channel.Size {
		if r.has(s, member) {
			continue
		}
		rank := r.channel.world(member)
		if g, issue := r.e.lookup(uint32(rank), r.channel.Context, r.number); g != nil {
			call, place := g.call.Load(), g.place.Load()
			if g.issue.Load() == issue && uint32(low(place)) == r.number { // the ring has fewer bits of it
				r.breakChannel(differ(r.e.rank, r.call, rank, call))
				return
			}
		}
	}
}

func (r *contributed) breakChannel(f Failure) {
	if f.Fault != 0 {
		r.e.breakAll(r.channel, f)
	}
}

// breakAll ends all that the members of a channel have issued on it.
func (e *Engine) breakAll(c *Channel, f Failure) {
	for member := range c.Size {
		e.breakAt(c.world(member), c.Context, f)
	}
}

func (r *contributed) err(f Failure) error {
	return Reporter{r.channel.member, r.e.options.Describe}.Err(f, r.call)
}

// Describe implements pml.Task.
func (r *contributed) Describe(w *job.Waiting) {
	_, name, _ := r.part.Call()
	describe(w, r.channel, name, r.number, r.call, job.Agreed{})
	c, s := &w.Collective, r.channel.contributing.Load()
	c.Need = job.NeedAllIssue
	for member := range r.channel.Size {
		if !r.has(s, member) {
			c.Miss(r.channel.world(member))
		}
	}
}

// Lasts implements pml.Patient: the next look compares.
func (r *contributed) Lasts() { r.looks = max(r.looks, patience-1) }
