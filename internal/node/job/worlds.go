package job

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// A World is the ranks that were started together: MPI_COMM_WORLD of each of them. Their numbers in the job follow one
// another. The first world has the ranks that the job began with.
type World struct {
	Number      int // 0: the first
	First, Size int // its ranks are First to First+Size-1
	Parent      int // the rank that had it started; -1: nobody
}

// Has tells whether a rank is of the world.
func (w World) Has(rank int) bool { return rank >= w.First && rank < w.First+w.Size }

// worldBlock is the World of a rank that was added. The supervisor writes it before the rank counts; then it stays.
type worldBlock struct {
	first, size, number, parent uint32

	// place of a rank that was started anew, plus one; 0: it was not. See PlaceOf.
	place uint32
}

// SetPlace says which place a rank is to take, before it starts. Only the supervisor calls it.
func SetPlace(r *Root, rank, place int) { r.block(rank).address.world.place = uint32(place) + 1 }

// PlaceOf returns the place of a rank that was started for a failed one (see Instead), in the communicator that asked.
// ok is false if it was not.
func PlaceOf(r *Root, rank int) (place int, ok bool) {
	place = int(r.block(rank).address.world.place)
	return place - 1, place != 0
}

// AddWorld adds a world of so many ranks to the job, at the request of a rank. nodes has the node of each of them;
// none: they are on node 0. Only the supervisor calls it. The error says that there is no room.
func (r *Root) AddWorld(size, parent, number int, nodes ...int) (World, error) {
	w := World{Number: number, First: r.Ranks(), Size: size, Parent: parent}
	if size < 1 || size > r.Places()-w.First-r.Visitors() {
		return w, fmt.Errorf("the job has room for %d ranks in all, and has had %d: "+
			"use pvasrun --universe N with a larger N", r.Places(), w.First)
	}
	for rank := w.First; rank < w.First+size; rank++ {
		r.ranks[rank].heard.Store(heardLeast(r))
		r.ranks[rank].letGo.Store(r.head.goneCount.Load())
		a := &r.ranks[rank].address
		if a.world = (worldBlock{uint32(w.First), uint32(size), uint32(number), uint32(parent), 0}); nodes != nil {
			a.node = uint32(nodes[rank-w.First])
		}
	}
	r.head.late.Add(uint32(size))
	return w, nil
}

// World returns the world of a rank, zeros if there is no such rank.
func (r *Root) World(rank int) World {
	switch first := int(r.head.ranks); {
	case rank < 0 || rank >= r.Ranks():
		return World{}
	case rank < first:
		return World{Size: first, Parent: -1}
	}
	w := &r.ranks[rank].address.world
	return World{Number: int(w.number), First: int(w.first), Size: int(w.size), Parent: int(w.parent)}
}

// AddLink notes that a rank has one more communicator, or with -1 one fewer, in which there are ranks of other worlds.
// The rank calls it.
func (r *Root) AddLink(rank, n int) { r.block(rank).links.Add(uint32(n)) }

// Linked tells whether a rank of the world has a communicator with ranks of other worlds, as they have said last. The
// supervisor ends the others with a rank that fails only if it is linked to them.
func (r *Root) Linked(w World) bool {
	for rank := w.First; rank < w.First+w.Size; rank++ {
		if r.block(rank).links.Load() != 0 {
			return true
		}
	}
	return false
}

// What rankBlock.ends says of a rank: it may receive; it is in Finalize, and receives no more; it is, and waits for its
// own sends to other worlds.
const (
	mayReceive = iota
	ending
	draining
)

// EndReceives says that a rank is in Finalize: what is sent to it now, nobody receives. The ranks of a world end
// together, or in their own time, but worlds do not wait for each other.
//
// Those that wait for their sends to it are woken. No end is missed: EndReceives says first that this rank ends, then
// looks who drains. Who drains says so first (Drains), then looks who has ended. On other nodes their supervisors say
// it, in the same order (SetEnds): that of this node hears of it as of an address.
func (r *Root) EndReceives(rank int) {
	r.SetEnds(rank, true)
	r.noteAddress()
}

// SetEnds notes whether a rank has called EndReceives, and not ReceivesAgain since. Supervisors call it for ranks of
// other nodes.
func (r *Root) SetEnds(rank int, ends bool) {
	if !ends {
		r.block(rank).ends.Store(mayReceive)
		return
	}
	r.block(rank).ends.Store(ending)
	for other := range r.Ranks() {
		if r.ranks[other].ends.Load() == draining {
			r.ranks[other].inbox.Notify()
		}
	}
}

// Drains says that a rank in Finalize waits until its sends are received, or MayReceive is false. In a job of one world
// the rank has not called EndReceives. Then nobody is notified: who waits for its receives goes on when it has gone.
func (r *Root) Drains(rank int) { r.block(rank).ends.Store(draining) }

// MayReceive tells whether a rank may receive what is sent to it. Of a rank on another node this is known late.
func (r *Root) MayReceive(rank int) bool {
	return r.block(rank).ends.Load() == mayReceive && !r.Gone(rank)
}

// ReceivesAgain undoes EndReceives.
func (r *Root) ReceivesAgain(rank int) {
	r.SetEnds(rank, false)
	r.noteAddress()
}

// Several tells whether the job has had ranks of other worlds than that of this rank, or visitors.
func (r *Root) Several(rank int) bool { return r.Ranks() > r.World(rank).Size || r.Visitors() > 0 }

// Alone tells whether this is a job of one rank that no supervisor has started.
func (r *Root) Alone() bool { return r.names != nil }

// ID tells this job from others on this machine. All its nodes have the same.
func (r *Root) ID() uint64 { return r.head.id }

// newID returns an ID. The nodes of a job have nothing in common but its key, which the ID does not give away.
func (c *Config) newID() uint64 {
	if c.Nodes == nil {
		return rand.Uint64()
	}
	sum := sha256.Sum256(append([]byte("job"), c.Key[:]...))
	return binary.LittleEndian.Uint64(sum[:])
}

// lateHere returns how many ranks on this node were added.
func (r *Root) lateHere() (n int) {
	for rank := int(r.head.ranks); rank < r.Ranks(); rank++ {
		if r.Node(rank) == r.Here() {
			n++
		}
	}
	return n
}

// Universe returns how many ranks the job is expected to have in all (MPI_UNIVERSE_SIZE): as many as the user has said,
// else as there are ranks or CPUs.
func (r *Root) Universe() int { return int(r.head.universe) }
