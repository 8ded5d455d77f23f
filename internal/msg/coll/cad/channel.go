package cad

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/shm"
)

// Job is what graphs ask of the job, wherever its ranks are.
type Job interface {
	Ranks() int
	Places() int // how many ranks there may ever be
	Gone(rank int) bool
	Lost() (rank int, ok bool) // the rank that has gone first
	State(rank int) job.State
	CountCall(rank, slot int)

	// Ranks of other jobs, and the names that all jobs know.
	Visits(rank int) bool
	NameOf(rank int) uint32
	Named(name uint32) (rank int, ok bool)

	// Inbox is asked for this rank, and for ranks that share its address space.
	Inbox(rank int) *shm.Event
}

// Culprit returns the rank to be named if a rank has gone. It may have left only because another rank of the call has
// died: then that one is named.
func Culprit(j Job, rank int, takesPart func(rank int) bool) int {
	if first, ok := j.Lost(); ok && j.State(first) != job.StateFinal && takesPart(first) {
		return first
	}
	return rank
}

// Channel is a communicator as graphs see it: an ordered set of ranks that issue the
// same number of graphs on it, in the same order. The exported fields are set before
// the first use.
type Channel struct {
	Context    uint32  // which no other channel of the job has at the time, nor other messages
	Rank, Size int     // the caller's place, and the number of members
	World      []int32 // the job's rank of each member; nil: the same numbers

	// Name returns the name of the communicator for messages to people; nil: there is none.
	Name func() string

	// Revoked is whether the communicator was; nil: it cannot be.
	Revoked *job.Revocable

	issued   atomic.Uint32                 // how many graphs were issued
	standing atomic.Pointer[chan struct{}] // see BeginStandIn; nil: no goroutine does

	mu     sync.Mutex // guards the rest
	states []any      // see StateOf
}

// StateOf returns what an executor keeps for a channel.
func StateOf[T any](c *Channel) *T {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.states {
		if t, ok := s.(*T); ok {
			return t
		}
	}
	t := new(T)
	c.states = append(c.states, t)
	return t
}

// BeginStandIn notes that another goroutine stands in for the rank, in a call that comes before all that the rank
// issues from now on. It calls over at its end. A goroutine that issues a graph calls AwaitStandIn before.
func (c *Channel) BeginStandIn() (over func()) {
	done := make(chan struct{})
	c.standing.Store(&done)
	return func() {
		c.standing.Store(nil)
		close(done)
	}
}

// AwaitStandIn waits for the end of BeginStandIn. The graph is nil if it is not made yet. A graph with Failed is that
// of the other goroutine, which does not wait for itself.
func (c *Channel) AwaitStandIn(g *Graph) {
	if done := c.standing.Load(); done != nil && (g == nil || g.Failed == nil) {
		<-*done
	}
}

// Issued returns how many graphs, and other operations, this rank has issued. All members issue as many.
func (c *Channel) Issued() uint32 { return c.issued.Load() }

// Next returns the number of an operation that is issued.
func (c *Channel) Next() uint32 { return c.issued.Add(1) - 1 }

func (c *Channel) RankOf(member int) int {
	if c.World == nil {
		return member
	}
	return int(c.World[member])
}

// MemberOf returns the place of a rank of the job on the channel, or -1.
func (c *Channel) MemberOf(rank int) int {
	if c.World != nil {
		return slices.Index(c.World, int32(rank))
	}
	if rank >= c.Size { // of a late world
		return -1
	}
	return rank
}

// Title is the operation of a graph for messages to people.
func (g *Graph) Title() string { return cmp.Or(g.Name, "graph") }

// Describe says which operation of the channel it is that is waited for: a graph, or what has a name, a signature and
// a number like one.
func (c *Channel) Describe(w *job.Waiting, g *Graph, number uint32, call uint64) {
	if !IsRefused(call) {
		call &^= Elements
	}
	agreed := g.Agreed
	if agreed == (job.Agreed{}) {
		agreed = job.Agree(c.Context, uint64(number), call)
	}
	w.Op = job.OpCollective
	w.Collective = job.Collective{
		Name: g.Title(), Number: uint64(number), Call: call, Agreed: agreed, Need: job.NeedSome,
	}
	if c.Name != nil {
		w.Collective.Communicator = c.Name()
	}
}
