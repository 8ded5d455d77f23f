package route

import (
	"slices"
	"sync/atomic"

	"github.com/gopvas/gopvas/btl"
)

// Table has the modules of a rank.
type Table struct {
	First   Transport // the rank sleeps in it
	further []Transport
	routes  []uint8 // of the ranks that there were at first: 0 is First, n further[n-1]; nil: all 0
	ranks   int     // that there were at first
	places  int     // how many there may be

	memory  btl.Memory          // of First; nil: it has none
	visits  func(rank int) bool // the ranks of other jobs; asked if one was met
	met     atomic.Bool         // a further module reaches visitors
	watches atomic.Pointer[[]Watch]

	planner planner
}

// Watch has a module advance tasks while the rank makes no call: Attend of btl.Capabilities.
type Watch func(advance func() (waits bool))

// Init makes the table of a rank whose module reaches all peers: ranks at first, and as many as places at last.
func (t *Table) Init(m btl.Messages, c *btl.Capabilities, ranks, places int) {
	t.First, t.memory, t.ranks, t.places = newTransport(m, c), c.Memory, ranks, places
}

// AddPeers has some ranks be reached by a further module: those of which reaches says so, which is asked of ranks that
// are added later, too, and says always the same. The peers do the same. Nobody uses the table yet.
func (t *Table) AddPeers(m btl.Messages, c *btl.Capabilities, reaches func(rank int) bool) {
	if t.routes == nil {
		t.routes = make([]uint8, t.ranks)
	}
	t.add(m, c, reaches)
	number := uint8(len(t.further))
	t.planner.use(c.Together, number)
	for rank := range t.ranks {
		if reaches(rank) {
			t.routes[rank] = number
		}
	}
}

// AddVisitors has the visitors of the job be reached by a further module, from now on: the table is in use. No message
// to or from one has been begun, and nobody has asked for Memory that is shared with one.
//
// These fields are read without the lock, too:
//
//   - further, by By. It is asked without the lock in a job of several nodes only, which has no visitors.
//   - met, by Memory. It is atomic, and only says whether to ask for visitors, whom the root block has before.
//   - watches, by Watches. It is atomic.
func (t *Table) AddVisitors(m btl.Messages, c *btl.Capabilities, visits func(rank int) bool) {
	t.visits = visits
	t.add(m, c, visits)
	t.met.Store(true)
}

func (t *Table) add(m btl.Messages, c *btl.Capabilities, reaches func(rank int) bool) {
	further := newTransport(m, c)
	further.reaches = reaches
	t.further = append(t.further, further)
	if c.Attend != nil {
		watches := append(slices.Clone(t.Watches()), Watch(c.Attend))
		t.watches.Store(&watches)
	}
}

// Watches are those of modules. Any goroutine may ask.
func (t *Table) Watches() []Watch {
	if w := t.watches.Load(); w != nil {
		return *w
	}
	return nil
}

// Several tells whether there is more than one module.
func (t *Table) Several() bool { return t.further != nil }

// By is 0 for a rank that First reaches, and the number of a further module for others. Any goroutine may ask. Where a
// rank is that was added is in the root block before it is a peer of anybody.
func (t *Table) By(rank int) uint8 {
	if uint(rank) < uint(len(t.routes)) {
		return t.routes[rank]
	}
	for i := range t.further {
		if t.further[i].reaches(rank) {
			return uint8(i + 1)
		}
	}
	return 0
}

// To returns the transport to and from a peer.
func (t *Table) To(peer int) *Transport {
	if t.further == nil {
		return &t.First
	}
	if n := t.By(peer); n > 0 {
		return &t.further[n-1]
	}
	return &t.First
}

// Memory returns the module by which this rank and these ranks of the job, nil: all, can attach memory of one another,
// and nil if there is none. All of the ranks get the same answer. Any goroutine may ask.
func (t *Table) Memory(ranks []int32) btl.Memory {
	if t.met.Load() && slices.ContainsFunc(ranks, func(rank int32) bool { return t.visits(int(rank)) }) {
		return nil
	}
	if t.routes != nil {
		if ranks == nil {
			return nil // some are reached by a further module
		}
		for _, rank := range ranks {
			if t.By(int(rank)) != 0 {
				return nil
			}
		}
	}
	return t.memory
}

// Direct tells whether these ranks of the job, nil: all, share one address space with this one.
func (t *Table) Direct(ranks []int32) bool {
	m := t.Memory(ranks)
	return m != nil && m.Direct()
}
