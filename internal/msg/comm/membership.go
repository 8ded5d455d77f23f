package comm

import (
	"errors"
	"sync"

	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
)

// membership is who is in a communicator. Once the communicator has an id (setID) it does not change.
type membership struct {
	group *Group // the caller's, and that of Rank and Size
	// peers are the ranks that messages go to and come from: group, or the remote group of an intercommunicator
	peers   *Group
	members *Group     // of collective operations: group, or both groups of an intercommunicator
	ranks   []int32    // those of peers; nil for the first world, where nothing needs to be translated
	visited bool       // it has ranks of other jobs
	units   *unitCache // of statuses
	revoked *job.Revocable
}

// single is a membership of one group.
func single(g *Group) membership {
	return membership{group: g, peers: g, members: g, ranks: g.ranks, units: new(unitCache),
		revoked: new(job.Revocable)}
}

// world returns the job's rank of each member; nil if they have the same numbers.
func (m *membership) world() []int32 {
	if m.ranks == nil {
		return nil
	}
	return m.members.ranks
}

// statusGroup returns whose ranks the statuses of a communicator's requests have to be
// given in; nil: the job's.
func (m *membership) statusGroup() *Group {
	if m.ranks == nil {
		return nil
	}
	return m.peers
}

// status is what the layer below says, in ranks of the communicator and counted in
// elements of that size.
func (m *membership) status(s pml.Status, size int) Status {
	return statusIn(unit{size, m.statusGroup()}, s)
}

// across returns the edges to the ranks of the remote group.
func (m *membership) across(data []Buffer) []coll.Edge {
	edges := make([]coll.Edge, 0, len(data))
	for i, b := range data {
		member := m.members.find(m.peers.ranks[i])
		if b.Len() == 0 {
			member = ProcNull
		}
		edges = append(edges, coll.Edge{Member: member, Data: b})
	}
	return edges
}

// source returns the group's rank for the job's in a status, which may be a wildcard.
func (g *Group) source(rank int) int {
	if rank < 0 {
		return rank
	}
	return g.find(int32(rank))
}

// Failed returns the members of c that have failed, of both groups of an intercommunicator, in the order in which this
// process has learned of them: each later group begins with the earlier ones. It is local.
//
// MPI Forum issue 20 (MPI_Comm_get_failed).
func Failed(c *Comm) *Group {
	if c.made() != nil {
		return nobody
	}
	failed := []int32{}
	for _, rank := range c.failures.Ranks(c.root) {
		if c.members.find(rank) != Undefined {
			failed = append(failed, rank)
		}
	}
	return newGroup(c.group.self, failed)
}

// Acknowledge has the failures of the first n members of Failed end no receive or probe from AnySource on c any more.
// Those that were acknowledged before stay so. It returns how many are. It is local.
//
// MPI Forum issue 20 (MPI_Comm_ack_failed).
func Acknowledge(c *Comm, n int) int {
	if err := c.usable(); err != nil && !errors.Is(err, ErrRevoked) {
		return 0
	}
	failed := Failed(c).ranks
	return c.engine.Acknowledge(c.context, failed[:max(0, min(n, len(failed)))])
}

// Acknowledged returns those members of Failed that are acknowledged. It is local.
func Acknowledged(c *Comm) *Group {
	n := Acknowledge(c, 0)
	return newGroup(c.group.self, Failed(c).ranks[:n])
}

// Outlive drops the error of a call that succeeds though members of c have failed, or it was revoked, in a job that
// survives.
func Outlive(c *Comm, err error) error {
	if errors.Is(err, ErrRevoked) {
		return nil
	}
	return outlive(c.root, err)
}

// outlive drops the error of a call that succeeds though members have failed, in a job that survives.
func outlive(root *job.Root, err error) error {
	if isLost(err) && job.Survives(root) {
		return nil
	}
	return err
}

// Revoke ends the use of c by all members, in a job that survives: what is underway on it, and what begins later,
// returns ErrRevoked at each of them. One member calls it; that another one does so, too, changes nothing. It does not
// wait for the others. They hear of it also if this process dies as soon as it has returned.
//
// MPI Forum issue 20 (MPI_Comm_revoke).
func Revoke(c *Comm) error {
	const op = "revoke"
	if err := c.usable(); err != nil && !errors.Is(err, ErrRevoked) {
		return Wrap(op, err)
	}
	if !job.Survives(c.root) {
		return Wrap(op, errors.New("ranks do not survive the failure of others: use pvasrun --survive"))
	}
	if c.revoked.Heard() {
		return nil
	}
	return Wrap(op, tellRevoked(c))
}

// tellRevoked has all members hear that c is revoked.
func tellRevoked(c *Comm) error {
	v := job.Revocation{ID: idOf(c.context), Serial: c.team.Serial}
	if !job.IsRevoked(c.root, v.ID, v.Serial) && !job.Revoke(c.root, v) {
		return errors.New("a rank has made no call for so long that it has missed hundreds of them")
	}
	for _, rank := range c.members.ranks {
		c.root.Inbox(int(rank)).Notify()
	}
	c.engine.Progress()
	return nil
}

// IsRevoked tells whether c was revoked, by this process or, as far as it has heard, by another one. It is local.
//
// MPI Forum issue 20 (MPIX_Comm_is_revoked).
func IsRevoked(c *Comm) bool {
	if c.made() != nil || c.finalized.Load() {
		return false
	}
	c.engine.Progress()
	return c.revoked.Heard()
}

// HasHeard is IsRevoked for those who make progress anyway: it tells what this process knows.
func HasHeard(c *Comm) bool { return c.revoked.Heard() }

// revocable are the communicators of a process in a job that survives, by id. A goroutine that holds the lock takes no
// other but that of failures.
type revocable struct {
	mu    sync.Mutex
	known map[uint32]*Comm
	late  []uint32 // ids of those whose revocation may have been read before they were known
	whole []*Comm  // that a failure revokes at once: see wholly

	stranded []*Comm // of which a collective operation was interrupted: see endStranded
}

// mayRevoke has revocations of a communicator be heard, whose id is new. One that this process has read before, when it
// did not know the communicator, still stands in a slot, or will be read again: see late. Then the next read finds it.
// That comes after Again, at the latest: messages of others are dropped that have come, and receives end.
//
// A revocation that is read after known has c is found by that read. One that was read before known has c stood in its
// slot before: so IsRevoked finds it, unless hundreds came since. It is no defect to find it twice. The same holds for
// the communicator of Survive that c was made of: its revocation was heard before, or the read finds c.
func (p *process) mayRevoke(c *Comm, id uint32) {
	if !job.Survives(p.root) {
		return
	}
	r := &p.revocable
	r.mu.Lock()
	if r.known == nil {
		r.known = map[uint32]*Comm{}
	}
	r.known[id] = c
	r.mu.Unlock()
	if c.revoked.Stands() || c.within != nil && c.within.revoked.Heard() {
		markRevoked(c)
		r.mu.Lock()
		r.late = append(r.late, id)
		r.mu.Unlock()
		job.Again(p.root, p.number)
	}
}

// readRevocations returns the contexts of communicators of this process that were revoked since the last call.
func (p *process) readRevocations() (contexts []uint32) {
	r := &p.revocable
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := r.late
	r.late = nil
	for _, c := range r.whole {
		if Failed(c).Size() > 0 && markRevoked(c) {
			ids = append(ids, idOf(c.context))
		}
	}
	for v, ok := job.Revoked(p.root, p.number); ok; v, ok = job.Revoked(p.root, p.number) {
		if c := r.known[v.ID]; c != nil && v.Is(v.ID, c.team.Serial) {
			markRevoked(c)
			ids = append(ids, v.ID)
			if c.within == c {
				ids = append(ids, r.markWithin(c)...)
			}
		}
	}
	for _, id := range ids {
		for purpose := range purposes {
			contexts = append(contexts, purpose.of(id))
		}
	}
	return contexts
}

// markRevoked has calls on c refused from now on. It returns true if they were not before.
func markRevoked(c *Comm) (news bool) {
	c.revoked.Hear()
	for _, before := range [...]uint32{ready, plain, interrupted} {
		news = c.state.CompareAndSwap(before, revoked) || news
	}
	return news
}

// markWithin has calls refused on all communicators that were made of one of Survive, and returns their ids. Those that
// were freed stay so: their ids may be used again. mu is held.
func (r *revocable) markWithin(c *Comm) (ids []uint32) {
	for id, n := range r.known {
		if n.within == c && n != c && markRevoked(n) {
			ids = append(ids, id)
		}
	}
	return ids
}

// freeRevoked is Free of a communicator that was revoked, or interrupted at this rank. Nothing of it is used again:
// messages of it may still be underway, and members that are dead or gave up tell nothing.
func freeRevoked(c *Comm) (done bool, err error) {
	if c.made() != nil || c.isWorld() || c.permanent ||
		!c.state.CompareAndSwap(revoked, freed) && !c.state.CompareAndSwap(interrupted, freed) {
		return false, nil
	}
	err = c.attributes.clear(c)
	c.contexts.unfreed.remove(c)
	c.unlink()
	c.team.FreeGraphs()
	freeConsensus(c)
	c.revocable.mu.Lock()
	delete(c.revocable.known, idOf(c.context))
	c.revocable.mu.Unlock()
	return true, Wrap("free", err)
}

// Survive calls f on all members of c, with a communicator of those that live, and calls it again with a new one when
// one of them has failed meanwhile. It returns nil when f has returned nil at all members that live: at all of them.
//
// # Why all do the same
//
// A run is: Shrink c, call f, Agree. All who return from Shrink have the same members. Who finds a failure in f returns
// its error. Survive then revokes the communicator, and each process revokes all that it has made of it. So each member
// that waits there for a failed one, or for one that has returned, returns too. All who live come to Agree, which tells
// all of them the same: whether f is done, whether a member has given up, whether one has died before it said so. If
// one dies after that, the others have done its work. f itself does not agree: see outside.
//
// On the world, with pvasrun --respawn, others get the places of members that have failed before the run. The
// communicator of all of them then stands for the world, also in later calls: see refill.
//
// It ends: there is another run only if Shrink finds fewer members than the last time, or after an attempt to refill.
// --respawn bounds these.
func Survive(c *Comm, f func(*Comm) error) error {
	const op = "survive"
	if f == nil {
		return Wrap(op, errors.New("the function is nil"))
	}
	if err := errors.Join(outlasts(c), outside(c)); err != nil {
		return Wrap(op, err)
	}
	if !job.Survives(c.root) {
		return once(c, f)
	}
	all, anew := c, c.isWorld() && c.root.Settings().Respawn > 0
	if anew && c.refilled != nil {
		all = c.refilled
	}
	var last error
	for before := -1; ; {
		n, err := Shrink(all)
		if err != nil {
			return err
		}
		if anew && n.size < all.size {
			full, refused := refill(all, n)
			if full != nil {
				if all != c {
					giveUp(all)
				}
				all, c.refilled, before = full, full, -1
			}
			if !refused {
				_ = n.Free() // an error: it was revoked
				continue
			}
		}
		if n.size == before { // nobody has failed: to call f again would end as before
			return errors.Join(Wrap(op, last), n.Free())
		}
		over, err := runOn(n, f)
		if over {
			return err
		}
		before, last = n.size, err
	}
}

// once is Survive in a job that ends with its first failure.
func once(c *Comm, f func(*Comm) error) error {
	n, err := c.Dup()
	if err != nil {
		return err
	}
	n.within = n
	return errors.Join(f(n), n.Free())
}

// What a member says of a run, by the bits that it passes to Agree.
const (
	runSound  = 1 << iota // f has returned nil, or an error that a failure explains
	runIsDone             // f has returned nil
)

// runOn does one run, and frees n. It returns true at all members if it was the last one.
func runOn(n *Comm, f func(*Comm) error) (over bool, err error) {
	n.revocable.mu.Lock()
	n.within = n
	n.revocable.mu.Unlock()
	err = f(n)
	mine := uint64(runSound | runIsDone)
	switch {
	case err == nil:
	case isLost(err) || errors.Is(err, ErrRevoked):
		mine = runSound
	default:
		mine = 0
	}
	if err != nil {
		_ = Revoke(n) // an error: nobody takes part any more
	}
	all, failed := agreeIn(n, mine)
	switch {
	case failed != nil && !isLost(failed):
		over, err = true, errors.Join(err, failed)
	case all&runSound == 0:
		over = true
		if mine&runSound != 0 {
			err = Wrap("survive", errors.New("another rank has given up: its own error says why"))
		}
	case failed == nil && all&runIsDone != 0:
		over = true
	case err == nil && failed != nil:
		err = failed
	case err == nil:
		err = errors.New("another rank has met a failure")
	}
	if err != nil {
		_ = Revoke(n) // a member that has not heard of it would have Free give the id to another communicator
	}
	return over, errors.Join(err, n.Free())
}
