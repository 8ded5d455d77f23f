package comm

import (
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/shm"
)

// Waits for what is no message: a word in shared memory that another rank changes. That rank notifies those
// that may wait for it.

// Waiter is how the rank waits.
func Waiter(c *Comm) *shm.Waiter { return c.engine.Waiter() }

// Await returns nil when over says so; see pml.Condition for over and say. It makes progress for the rank meanwhile,
// and sleeps. over is asked again when the rank is notified, and when a rank has gone.
func Await(c *Comm, over func() bool, say func() job.Waiting) error {
	if err := pml.MayWait(); err != nil {
		return err
	}
	return c.engine.NewCondition(over, say).Wait()
}

// ExplainMessages has a function complete what the hang report says of waits for messages of the communicator; see
// pml.Engine.
func ExplainMessages(c *Comm, f func(*job.Waiting)) { c.engine.Explain(c.context, f) }

// AwaitAside is Await for a goroutine that takes no part in the rank's messages, and makes no progress for them.
func AwaitAside(c *Comm, over func() bool) error { return c.root.Inbox(c.group.self).Wait(over) }

// Notify has a rank of the communicator ask for what it waits for, if it sleeps in Await.
func Notify(c *Comm, rank int) { c.root.Inbox(JobRank(c, rank)).Notify() }

// JobRank is the number in the job of a rank of the communicator.
func JobRank(c *Comm, rank int) int {
	if c.ranks == nil {
		return rank
	}
	return int(c.ranks[rank])
}

// FirstGone returns the first rank of the communicator that has gone and that blocks says yes to, -1 if there is none.
// It looks at one word, and asks blocks of those that have gone. When one more rank of the job has gone it looks at all
// ranks, once.
func FirstGone(c *Comm, blocks func(rank int) bool) int {
	if n := uint32(c.engine.Events()); n != 0 {
		g := c.gone.Load()
		if g == nil || g.of != n {
			g = c.lookForGone(n)
		}
		for _, rank := range g.ranks {
			if blocks(rank) {
				return rank
			}
		}
	}
	return -1
}

// goneRanks are the ranks of a communicator that had gone when so many of the job had, or more.
type goneRanks struct {
	of    uint32
	ranks []int
}

// lookForGone finds who has gone. The number was read before: a rank that has gone since is found now, or at the next
// look, which finds another number.
func (c *Comm) lookForGone(n uint32) *goneRanks {
	g := &goneRanks{of: n}
	for rank := range c.size {
		if c.root.Gone(JobRank(c, rank)) {
			g.ranks = append(g.ranks, rank)
		}
	}
	c.gone.Store(g)
	return g
}
