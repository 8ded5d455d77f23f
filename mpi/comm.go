package mpi

import (
	"os"
	"sync"
	"sync/atomic"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/coll"
	"github.com/gopvas/gopvas/coll/cad"
	"github.com/gopvas/gopvas/job"
	"github.com/gopvas/gopvas/pml"
)

// Comm is a communicator: some ranks of the job in an order of their own, whose
// messages and collective operations do not mix with those of any other communicator.
// The world comes from Init, all others from one that is there already: see Dup,
// Split, SplitType, CreateGroup, CartCreate, DistGraphCreate. A communicator that is
// not needed any more is given back with Free.
//
// Ranks, in arguments and in statuses, are those of the communicator. Only in a
// *LostError it is the rank of the world.
//
// Finalize, WinAllocateShared and WinCreate are for the world only: on
// others they return ErrNotWorld (wrapped).
type Comm struct {
	root       *job.Root
	rank, size int
	module     btl.Module
	engine     *pml.Engine
	graphs     *cad.Engine  // of the process
	channel    *cad.Channel // the communicator as graphs see it
	team       *coll.Team   // the communicator as collective operations see it
	context    uint32       // of point-to-point messages
	group      *Group
	ranks      []int32      // the group's; nil for the world, where nothing needs to be translated
	contexts   *contexts    // of the process
	finalized  *atomic.Bool // likewise
	topology   topology     // nil: none
	freed      atomic.Bool

	mu      sync.Mutex // held during collective operations; guards the rest
	windows []*Window  // all there ever were: keeps their memory reachable

	units unitCache
	notes notes
}

// newWorld returns the communicator of all ranks of a job.
func newWorld(root *job.Root, rank int, module btl.Module, s cad.Setup) *Comm {
	size := root.Ranks()
	s.Resolve, s.Describe = resolveOperator, describeCall
	c := &Comm{
		root: root, rank: rank, size: size, module: module,
		engine:    pml.New(root, rank, module),
		context:   pointToPoint.of(worldID),
		group:     everybody(rank, size),
		contexts:  newContexts(rank, size),
		finalized: new(atomic.Bool),
	}
	c.graphs = cad.New(root, rank, module, c.engine, s.Options)
	if s.Helps(rank, size) {
		c.graphs.StartHelper()
	}
	c.team, c.channel = c.newTeam(worldID), c.newChannel(worldID)
	c.team.Boards = new(coll.Boards)
	c.notes.name = "world"
	return c
}

// newComm returns the communicator of a group that this process belongs to.
func (c *Comm) newComm(g *Group, id uint32) *Comm {
	n := &Comm{
		root: c.root, rank: g.rank, size: len(g.ranks), module: c.module,
		engine:    c.engine,
		graphs:    c.graphs,
		context:   pointToPoint.of(id),
		group:     g,
		ranks:     g.ranks,
		contexts:  c.contexts,
		finalized: c.finalized,
	}
	n.team, n.channel = n.newTeam(id), n.newChannel(id)
	n.team.Choice, n.team.Check, n.team.Boards = c.team.Choice, c.team.Check, c.team.Boards
	return n
}

func (c *Comm) newTeam(id uint32) *coll.Team {
	return &coll.Team{
		Engine: c.engine, Module: c.module, Root: c.root,
		Context: collective.of(id), Rank: c.rank, Size: c.size, World: c.ranks, Name: c.Name,
	}
}

func (c *Comm) newChannel(id uint32) *cad.Channel {
	return &cad.Channel{Context: nonblocking.of(id), Rank: c.rank, Size: c.size, World: c.ranks, Name: c.Name}
}

// begin lets one goroutine at a time into the collective operations: who has got nil
// unlocks c.mu when it is through.
func (c *Comm) begin() error {
	c.mu.Lock()
	err := c.usable()
	if err != nil {
		c.mu.Unlock()
	}
	return err
}

// usable returns an error if the communicator is no more.
func (c *Comm) usable() error {
	switch {
	case c.finalized.Load():
		return ErrFinalized
	case c.freed.Load():
		return ErrFreed
	}
	return nil
}

// isWorld tells whether c is what Init has returned.
func (c *Comm) isWorld() bool { return c.ranks == nil }

// Rank returns the number of the calling process, from 0 to Size()-1.
//
// MPI 4.1 section 7.4.1.
func (c *Comm) Rank() int { return c.rank }

// Size returns the number of ranks, at least 1.
//
// MPI 4.1 section 7.4.1.
func (c *Comm) Size() int { return c.size }

// Group returns the ranks of the communicator as a group. It is local, and works also
// after Free.
//
// MPI 4.1 section 7.3.2 (MPI_Comm_group).
func (c *Comm) Group() *Group { return c.group }

// Barrier returns nil when all ranks have called it. It blocks until then, without
// taking CPU time for long. What a rank wrote before is visible to all after.
//
// The error wraps a *LostError if a rank has gone before it got here; then no
// later barrier succeeds. It wraps ErrFinalized after Finalize.
//
// MPI 4.1 section 6.3.
func (c *Comm) Barrier() error {
	if err := c.begin(); err != nil {
		return opError("barrier", err)
	}
	defer c.mu.Unlock()
	return opError("barrier", c.team.Barrier())
}

// Abort ends this process at once with the given exit code, without deferred
// functions, upon which pvasrun ends all other ranks of the job, also those that are
// not in c, and returns the code. A code that does not mean failure (outside of
// 1..255) is replaced by 1: the job did fail. Abort may be called at any time, also
// after Finalize.
//
// MPI 4.1 section 9.7.
func (c *Comm) Abort(code int) {
	if code < 1 || code > 255 {
		code = 1
	}
	c.root.SetState(c.group.self, job.StateAborted)
	os.Exit(code)
}

// Partition returns the part of the shared address space, from base on and of size
// bytes, that belongs to this rank: its image, stack and arena lie there. ok is
// false if the ranks do not share an address space; a job of one started without
// pvasrun has no partition either.
func (c *Comm) Partition() (base, size uint64, ok bool) {
	base, size = c.root.Partition(c.group.self)
	return base, size, size != 0
}
