package comm

import (
	"fmt"
	"math"
	"os"
	"sync"
	"sync/atomic"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/coll/cad/shared"
	"github.com/gopvas/gopvas/internal/msg/comm/consensus"
	"github.com/gopvas/gopvas/internal/msg/comm/delays"
	"github.com/gopvas/gopvas/internal/msg/comm/entry"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/msg/recorder"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Comm is a communicator: some ranks of the job in an order of their own, whose
// messages and collective operations do not mix with those of any other communicator.
// The world comes from Init, all others from one that is there already: see Dup,
// Split, SplitType, CreateGroup, CartCreate, DistGraphCreate. A communicator that is
// not needed any more is given back with Free.
//
// Ranks, in arguments and in statuses, are those of the communicator. Only in a
// *LostError it is the rank of the job.
//
// Finalize is for the world only: on others it returns ErrNotWorld (wrapped). A nil
// communicator, as Split returns it for Undefined, is one that this rank is not in: calls
// on it return ErrNoComm (wrapped).
type Comm struct {
	*process
	membership
	neighborhood
	engine      *pml.Engine  // that of process: messages take the shortest way to it
	channel     *cad.Channel // the communicator as graphs see it
	team        *coll.Team   // the communicator as collective operations see it
	context     uint32       // of point-to-point messages
	rank, size  int
	synchronous bool          // standard sends wait for their receivers
	linked      bool          // it has ranks of several worlds
	apart       *Comm         // itself, if it has a buffer of its own for sends in buffered mode; nil: that of process
	session     *Session      // that it derives from; nil: none
	worldwide   bool          // it is what Init has returned
	permanent   bool          // Self: Free refuses
	state       atomic.Uint32 // ready, plain, ...
	exposes     atomic.Bool   // see Expose
	bound       *bound        // of a view, see With; else nil
	within      *Comm         // the communicator of Survive that it is, or was made of; else nil

	gone atomic.Pointer[goneRanks] // see FirstGone

	entry entry.Entry // of collective operations

	consensus *consensus.Circle // made at the first agreement; the lock of the engine guards it

	partitioned atomic.Uint32 // partitioned sends that were made; see NewPartitioned

	name       atomic.Pointer[string] // nil: ""
	attributes attributes
}

// Operators are what a face knows of its operators by their names (coll.Op.Name).
type Operators struct {
	Resolve  func(name uint64) func(inout, in []byte) // this rank's function; nil: none
	Describe func(name uint64) string                 // for errors; the name is without cad.Common
}

// NewWorld returns the communicator of all ranks of a rank's world, for a rank whose module is
// open. Init is for programs; this is for tests, whose ranks may be goroutines. Networks
// reach the ranks that the module does not.
func NewWorld(root *job.Root, rank int, module btl.Module, s Settings, ops Operators, networks ...Network) *Comm {
	w := root.World(rank)
	all, id := consecutive(rank, w.First, w.Size), idsFrom(w.First, root.Places())+worldID
	s.Resolve, s.Setup.Check = ops.Resolve, s.Check
	describe := func(call uint64) string { return coll.DescribeCall(call, ops.Describe) }
	s.Describe = describe
	p := &process{
		root: root, number: rank, module: module,
		engine:   pml.New(root, rank, module),
		contexts: newContexts(rank, root.Places()),
		networks: networks,
		describe: describe,
		resolve:  ops.Resolve,
	}
	c := &Comm{process: p, membership: single(all), rank: all.rank, size: w.Size, worldwide: true, engine: p.engine,
		context: pointToPoint.of(id)}
	if w.First == 0 {
		c.ranks = nil // nothing needs to be translated
	}
	if r := recorder.New(root, rank); r != nil {
		c.engine.Trace(r)
	}
	c.contexts.root, c.contexts.rank = root, rank
	c.agreements.Root, c.agreements.Rank = root, rank
	for _, n := range networks {
		c.engine.AddPeers(n.Messages, n.Reaches)
	}
	c.graphs = shared.New(root, rank, c.engine, s.Options)
	c.graphs.Trace(recorder.NewNodes(root, rank))
	if s.Helps(rank, w.Size) {
		c.graphs.StartHelper()
	}
	c.among(id)
	c.revoked.Name(root, id, 0)
	c.team, c.channel = c.newTeam(&c.membership, id, c.Name), c.newChannel(&c.membership, id, c.Name)
	c.team.Guards = c.channel
	c.team.Boards, c.team.Choice, c.team.Check = new(coll.Boards), s.Choice, s.Check
	c.synchronous = s.Synchronous
	c.state.Store(c.usableState())
	c.SetName("world")
	c.self = sync.OnceValue(c.alone)
	c.engine.Revocations(p.readRevocations)
	c.mayRevoke(c, id)
	return c
}

// The states of a communicator.
const (
	ready       = iota // it can be used; calls wait as Delay says
	plain              // likewise, and messages go the shortest way: calls are not checked
	freed              // after Free
	pending            // from Idup, until its request is complete: it has no id
	revoked            // after Revoke, of whatever member
	interrupted        // a collective operation of this rank was, see bound
	viewed             // not a communicator but a view: see With
)

// newComm returns the communicator of a group that this process belongs to.
func (c *Comm) newComm(g *Group, id uint64) *Comm {
	n := c.withoutID(single(g))
	n.setID(id)
	return n
}

// withoutID returns a communicator that setID makes ready.
func (c *Comm) withoutID(m membership) *Comm {
	n := &Comm{process: c.process, membership: m, rank: m.group.rank, size: len(m.group.ranks), engine: c.engine,
		synchronous: c.synchronous, session: c.session, within: c.within}
	n.ranks, n.units = m.peers.ranks, new(unitCache) // also of a copy of the world: its state is checked
	n.revoked = new(job.Revocable)
	n.team = &coll.Team{Choice: c.team.Choice, Check: c.team.Check, Boards: c.team.Boards}
	n.state.Store(pending)
	return n
}

// setID makes the communicator ready, with an id from contexts.take.
func (c *Comm) setID(taken uint64) {
	old, id := c.team, uint32(taken)
	c.among(id)
	c.context = pointToPoint.of(id)
	c.revoked.Name(c.root, id, uint32(taken>>32))
	c.team, c.channel = c.newTeam(&c.membership, id, c.Name), c.newChannel(&c.membership, id, c.Name)
	c.team.Guards, c.team.Serial = c.channel, uint32(taken>>32)
	c.team.Choice, c.team.Check, c.team.Boards = old.Choice, old.Check, old.Boards
	if c.team.Check {
		c.contexts.unfreed.add(c, programs)
	}
	c.linked = c.link(c.members.ranks)
	c.state.Store(c.usableState())
	c.mayRevoke(c, id)
}

// usableState is the state of a communicator that can be used.
func (c *Comm) usableState() uint32 {
	if c.team.Check || c.synchronous || c.delays != nil {
		return ready
	}
	return plain
}

// Delay has calls on the world, on requests, and on communicators that are made from now on, wait before they begin,
// for times that a seed gives. It is called before the first of them.
func Delay(world *Comm, seed uint64) {
	world.delays = delays.New(seed, world.number)
	world.engine.Before = world.delays.Pause
	world.state.CompareAndSwap(plain, ready)
}

// Before is what other calls, as those on windows, do before they begin; nil: nothing.
func Before(c *Comm) func() {
	if c.made() != nil {
		return nil
	}
	return c.engine.Before
}

// Self returns the communicator of this rank alone, the same at each call.
func (c *Comm) Self() *Comm {
	if c.made() != nil {
		return nil
	}
	return c.self()
}

// alone makes what Self returns.
func (c *Comm) alone() *Comm {
	n := c.newComm(newGroup(c.group.self, []int32{int32(c.group.self)}), c.contexts.take())
	n.permanent = true
	n.SetName("self")
	BelongsTo(n, "")
	return n
}

// made returns an error if no call has made the communicator.
func (c *Comm) made() error {
	switch {
	case c == nil:
		return ErrNoComm
	case c.engine == nil:
		return zeroComm{}
	}
	return nil
}

// usable returns an error if the communicator is no more, or never was.
func (c *Comm) usable() error {
	if err := c.made(); err != nil {
		return err
	}
	if c.finalized.Load() {
		return ErrFinalized
	}
	switch c.state.Load() {
	case ready:
		c.delays.Pause()
	case freed:
		return ErrFreed
	case pending:
		return ErrPending
	case revoked:
		return ErrRevoked
	case interrupted:
		return ErrInterrupted
	case viewed:
		return ErrView
	}
	return nil
}

// isWorld tells whether c is what Init has returned.
func (c *Comm) isWorld() bool { return c != nil && c.worldwide }

// ID returns a number of the communicator that no other one of the job has before this one is
// freed.
func (c *Comm) ID() uint32 {
	if c == nil {
		return math.MaxUint32
	}
	return idOf(c.context)
}

// OneAddressSpace tells whether the ranks of the communicator share one address space.
func (c *Comm) OneAddressSpace() bool {
	return c.made() == nil && c.engine.Routes().Direct(c.members.ranks)
}

// Rank returns the number of the calling process, from 0 to Size()-1; Undefined if c is nil.
func (c *Comm) Rank() int {
	if c.made() != nil {
		return Undefined
	}
	return c.rank
}

// Size returns the number of ranks, at least 1; 0 if c is nil.
func (c *Comm) Size() int {
	if c == nil {
		return 0
	}
	return c.size
}

// Group returns the ranks of the communicator as a group.
func (c *Comm) Group() *Group {
	if c.made() != nil {
		return nobody
	}
	if c.group.session != c.session {
		return GroupOf(c.group, c.session)
	}
	return c.group
}

// Abort says that a call ends the job, or its world if that is connected to no other. If the call is "", nothing is
// said. It ends this process at once, without deferred functions. The exit code is the lowest byte of the code, or 1 if
// only that byte is 0: the job has failed. In a job that survives, one on a communicator of this rank is its failure.
func (c *Comm) Abort(call string, code int) {
	exit, note, what := int(uint8(code)), "", "the job"
	if exit != code {
		exit = max(exit, 1)
		note = fmt.Sprintf(", exit code %d", exit)
	}
	started := c != nil && c.process != nil
	alone := started && len(c.members.ranks) == 1 && job.Survives(c.root) // for the others it is a failure
	if alone {
		what = "this rank"
	} else if started && c.root.Several(c.group.self) {
		if w := c.root.World(c.group.self); !c.root.Linked(w) {
			what = fmt.Sprintf("world %d of the job", w.Number)
		}
	}
	if call != "" {
		fmt.Fprintf(os.Stderr, "%s: %s: ends %s with error code %d%s\n", Who(), call, what, code, note)
	}
	if started && !alone {
		c.root.SetState(c.group.self, job.StateAborted)
	}
	os.Exit(exit)
}

// Partition returns the part of the shared address space, from base on and of size bytes, that
// belongs to this rank.
func (c *Comm) Partition() (base, size uint64, ok bool) {
	if c.made() != nil {
		return 0, 0, false
	}
	base, size = c.root.Partition(c.group.self)
	return base, size, size != 0
}

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
	if c != nil && c.ranks == nil && c.engine != nil && rank < c.size && c.state.Load() == plain {
		return rank, nil
	}
	return c.member(rank)
}

// from returns the job's rank that a message from this rank, or AnySource, comes from.
func (c *Comm) from(rank int) (int, error) {
	if c != nil && c.ranks == nil && c.engine != nil && rank < c.size && c.state.Load() == plain {
		return rank, nil
	}
	if isView(c) {
		return c.bound.from(rank)
	}
	if rank == AnySource {
		return AnySource, c.usable()
	}
	return c.member(rank)
}

func (c *Comm) member(rank int) (int, error) {
	if isView(c) {
		return c.bound.to(rank)
	}
	if err := c.usable(); err != nil || rank == ProcNull {
		return rank, err
	}
	if ranks := c.peers.ranks; uint(rank) < uint(len(ranks)) {
		return int(ranks[rank]), nil
	}
	return rank, &fault.RankError{Rank: rank, Size: len(c.peers.ranks)}
}
