package comm

import (
	"github.com/gopvas/gopvas/internal/pml"
	"github.com/gopvas/gopvas/mpi/fault"
)

// The layers below know the ranks of the job only. Here the ranks of a communicator
// become those, and back. The first world has the same numbers for both: it is let through
// at the price of two comparisons. The layers below do not know where it ends.

// plainTo returns the job's rank that this rank is, if messages to it and from it may go the shortest way.
func (c *Comm) plainTo(rank int) (peer int, ok bool) {
	switch {
	case c == nil || c.state.Load() != plain:
		return rank, false
	case c.ranks == nil:
		return rank, rank < c.size
	case uint(rank) < uint(len(c.ranks)):
		return int(c.ranks[rank]), true
	}
	return rank, false
}

// to returns the job's rank that a message to this rank goes to.
func (c *Comm) to(rank int) (int, error) {
	if c != nil && c.ranks == nil && c.engine != nil && rank < c.size {
		return rank, nil
	}
	return c.member(rank)
}

// from returns the job's rank that a message from this rank, or AnySource, comes from.
func (c *Comm) from(rank int) (int, error) {
	if c != nil && c.ranks == nil && c.engine != nil && rank < c.size {
		return rank, nil
	}
	if rank == AnySource {
		return AnySource, c.usable()
	}
	return c.member(rank)
}

func (c *Comm) member(rank int) (int, error) {
	if err := c.usable(); err != nil || rank == ProcNull {
		return rank, err
	}
	if ranks := c.peers.ranks; uint(rank) < uint(len(ranks)) {
		return int(ranks[rank]), nil
	}
	return rank, &fault.RankError{Rank: rank, Size: len(c.peers.ranks)}
}

// statusGroup returns whose ranks the statuses of a communicator's requests have to be
// given in; nil: the job's.
func (c *Comm) statusGroup() *Group {
	if c.ranks == nil {
		return nil
	}
	return c.peers
}

// status is what the layer below says, in ranks of the communicator and counted in
// elements of that size.
func (c *Comm) status(s pml.Status, size int) Status {
	return statusIn(unit{size, c.statusGroup()}, s)
}

// source returns the group's rank for the job's in a status, which may be a wildcard.
func (g *Group) source(rank int) int {
	if rank < 0 {
		return rank
	}
	return g.find(int32(rank))
}
