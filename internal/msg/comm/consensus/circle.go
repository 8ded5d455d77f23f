package consensus

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/node/job"
)

// Circle is the members of a communicator, as one of them sees them. The caller's lock guards it.
type Circle struct {
	Home   *Home
	Memory btl.Memory
	Ranks  []int32 // the job's rank of each member
	Self   int

	key           uint64
	own           *Block
	blocks        []*Block // of the members, as far as they were found
	begun, ended  uint64   // agreements
	freed, queued bool     // queued: the block is among those that Home has freed
}

// Name says which communicator it is, before the first agreement.
func (c *Circle) Name(id, serial uint32) { c.key = uint64(serial)<<32 | uint64(id)<<1 | 1 }

// Agreement is one of a circle, of this member.
type Agreement struct {
	Machine
	circle *Circle
}

// Begin begins an agreement behind all that were begun before. After an error this process takes part in none any more,
// as after one of Advance.
func (c *Circle) Begin(mine Contribution) (*Agreement, error) {
	if err := c.Home.hasLeft(); err != nil {
		return nil, err
	}
	if c.own == nil {
		own, err := c.Home.take(c.Memory, c.key)
		if err != nil {
			return nil, err
		}
		c.own, c.blocks = own, make([]*Block, len(c.Ranks))
		c.blocks[c.Self] = own
	}
	c.begun++
	return &Agreement{Machine{Number: c.begun, Self: c.Self, Size: len(c.Ranks), Mine: mine}, c}, nil
}

// Advance goes on as far as it can. It returns true, once, when the decision is there, or an error if this process has
// left. If there is a next agreement it wakes this rank.
func (a *Agreement) Advance() (over bool, err error) {
	c := a.circle
	if err := c.Home.hasLeft(); err != nil {
		return true, err
	}
	if c.ended+1 != a.Number {
		return false, nil
	}
	for said := -1; ; { // the member that awaits names
		progress := a.Step((*words)(c))
		if err := c.Home.hasLeft(); err != nil { // in that step: what it has read may be missing
			return true, err
		}
		switch progress {
		case Goes:
		case Waits:
			member, gathers := a.Awaits()
			if !gathers || said == member {
				return false, nil
			}
			c.own.awaits.Store(uint32(member) + 1)
			said = member // and looks again
		case Over:
			c.ended++
			if c.ended < c.begun {
				c.Home.Root.Inbox(c.Home.Rank).Notify()
			}
			c.leave()
			return true, nil
		}
	}
}

// Awaited returns the members that an agreement may wait for: who has not given, or who is to decide.
func (a *Agreement) Awaited() []int32 {
	c := a.circle
	w := (*words)(c)
	if a.Number != c.ended+1 {
		return nil
	}
	if member, gathers := a.Awaits(); gathers {
		if member == a.Size {
			return nil
		}
		return c.Ranks[member : member+1]
	}
	for i := range c.Ranks[:c.Self] {
		if w.End(i) == 0 {
			return c.Ranks[i : i+1]
		}
	}
	return nil
}

// Free ends the use of the circle. What was begun goes on.
func (c *Circle) Free() {
	c.freed = true
	c.leave()
}

// leave gives back the block if all is over.
func (c *Circle) leave() {
	if !c.freed || c.queued || c.own == nil || c.ended != c.begun {
		return
	}
	c.queued = true
	c.own.left.Store(1)
	c.Home.mu.Lock()
	defer c.Home.mu.Unlock()
	c.Home.freed = append(c.Home.freed, c)
}

// deserted tells whether nobody looks at the block any more: see doc.go. The lock of Home is held.
func (c *Circle) deserted(m btl.Memory) bool {
	for member, rank := range c.Ranks {
		if member == c.Self || job.End(c.Home.Root, int(rank)) != 0 {
			continue
		}
		if b, err := c.Home.find(m, int(rank), c.key); err != nil || b != nil && b.left.Load() == 0 {
			return false
		}
	}
	return true
}

// words are those that the members of a circle share. It implements Words.
type words Circle

// block returns the block of a member, nil if it has none yet.
func (w *words) block(member int) *Block {
	if b := w.blocks[member]; b != nil {
		return b
	}
	w.Home.mu.Lock()
	defer w.Home.mu.Unlock()
	b, err := w.Home.find(w.Memory, int(w.Ranks[member]), w.key)
	if err != nil && w.Home.left == nil {
		w.Home.leave(err)
	}
	w.blocks[member] = b
	return b
}

func (w *words) Give(number uint64, c Contribution) {
	g := &w.own.given[number%2]
	g.flag.Store(c.Flag)
	g.id.Store(c.ID)
	g.acked.Store(c.Acked)
	g.kind.Store(c.Kind)
	g.number.Store(number)
	for i := range w.Ranks {
		if w.End(i) != 0 {
			continue
		}
		if b := w.block(i); i != w.Self && b != nil && b.awaits.Load() == uint32(w.Self)+1 {
			w.Home.Root.Inbox(int(w.Ranks[i])).Notify()
		}
		return
	}
}

func (w *words) Decide(number uint64, d Decision) {
	t := &w.own.decided[number%2]
	t.flag.Store(d.Flag)
	t.id.Store(d.ID)
	t.ends.Store(d.Ends)
	t.lost.Store(d.Lost)
	t.differs.Store(d.Differs)
	t.left.Store(d.Left)
	t.number.Store(number)
	for i, rank := range w.Ranks {
		if i != w.Self && w.End(i) == 0 {
			w.Home.Root.Inbox(int(rank)).Notify()
		}
	}
}

func (w *words) End(member int) uint32 {
	end := job.End(w.Home.Root, int(w.Ranks[member]))
	if end == 0 && job.LeftAgreements(w.Home.Root, int(w.Ranks[member])) {
		return Left
	}
	return end
}

func (w *words) Ends() uint32 { return uint32(w.Home.Root.GoneCount()) }

func (w *words) Given(member int, number uint64) (c Contribution, ok bool) {
	b := w.block(member)
	if b == nil {
		return c, false
	}
	g := &b.given[number%2]
	if g.number.Load() != number {
		return c, false
	}
	return Contribution{g.flag.Load(), g.acked.Load(), g.kind.Load(), g.id.Load()}, true
}

func (w *words) Decided(member int, number uint64) (d Decision, ok bool) {
	b := w.block(member)
	if b == nil {
		return d, false
	}
	t := &b.decided[number%2]
	if t.number.Load() != number {
		return d, false
	}
	return Decision{t.flag.Load(), t.id.Load(), t.ends.Load(), t.lost.Load(), t.differs.Load(), t.left.Load()}, true
}
