package pml

import (
	"slices"
	"sync"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Ranks that have gone. A rank is gone when the supervisor has reaped it, however
// it ended, and then its messages are all in our queue. noteGone sees the count of such ranks. When it has
// taken all messages of the rank out of the queue, nothing more can come from that rank: it is dead, and
// the operations that wait for it fail:
//
//   - a receive or probe that names it, also if it ended well: it sends no more;
//   - a send to it that was not announced yet (transfers underway learn it from the
//     module; messages copied to its queue are lost, as they would be a moment
//     later);
//   - a receive or probe from AnySource if the rank went without Finalize, since
//     its message may have been the one that was waited for. User-level failure
//     mitigation (ULFM) does the same; as there is no way yet to acknowledge a
//     failure, such receives fail from then on, unless a message that matches is
//     there already. If all other ranks of this one's world ended well, they fail likewise:
//     nobody is left to send. (Messages of a rank to itself do not count: a goroutine that
//     still wants to send one sends it before.) Where ranks of other worlds may send, too, the
//     circle of the context counts: see Among and missing. These receives fail when all ranks
//     that have gone are dead: until then a message that matches may be there.

// noteGone fails the operations that depend on ranks that have gone since its last call.
//
// The order matters: noteGone first looks which ranks have gone, then takes messages, and then asks whose messages
// are left. A rank that goes in between raises the count, and the next call looks at it.
//
// The next call also looks at a rank that has gone and has messages left. The queue may have held more than a call
// takes. Or a message comes first whose sender lives and is in the middle of the send: it may be preempted, or
// stopped without end. Behind that, each message of a rank that has gone is complete or never will be, so
// the modules can tell its source.
//
// Such a rank becomes dead only after a message was handed over, or after another rank has gone. Without either the
// call does nothing. With a network it looks in any case: a network has more to take in than messages.
func (e *Engine) noteGone() {
	n := e.GoneCount()
	if n == e.seen && !e.routes.Several() && e.routes.Counters().Received == e.handed {
		return
	}
	gone := e.departed[:0]
	for rank := range e.job.All() {
		if rank != e.rank && e.job.Gone(rank) {
			gone = append(gone, rank)
		}
	}
	e.departed = gone
	if e.dead == nil {
		e.dead, e.due = make([]bool, e.size), make([]bool, e.size)
	}
	e.pollAll()
	clear(e.due)
	e.routes.Senders(e.onSender)
	e.seen, e.handed = n, e.routes.Counters().Received
	all := true
	for _, rank := range gone {
		e.dead[rank] = e.dead[rank] || !e.due[rank]
		all = all && e.dead[rank]
	}
	if all {
		own := e.job.World(e.rank)
		e.noteLost(gone, &own)
		e.gone = n
		e.goneHere = len(slices.DeleteFunc(gone, func(rank int) bool { return !own.Has(rank) }))
	}
	e.updateFastPath()
	e.settle() // the module fails the transfers underway to and from them
	for op, err := range e.match.Expel(func(op *operation) error { return e.goneError(op.context, op.Peer) }) {
		e.complete(op, err)
	}
	e.dropQueued(func(peer int32) error { return e.goneError(0, peer) })
}

// noteLost looks for a rank of this one's world that went without Finalize. All ranks that have gone are dead.
func (e *Engine) noteLost(gone []int, own *job.World) {
	for _, rank := range gone {
		if e.lost < 0 && own.Has(rank) && e.job.State(rank) != job.StateFinal {
			e.lost = rank
		}
	}
}

// dropQueued fails the queued sends to the peers for which why returns an error.
func (e *Engine) dropQueued(why func(peer int32) error) {
	kept := e.pending[:0]
	for _, b := range e.pending {
		err := why(b.peer)
		if err == nil {
			kept = append(kept, b)
			continue
		}
		for op := b.ops.Pop(); op != nil; op = b.ops.Pop() {
			e.complete(op, err)
		}
	}
	e.pending = kept
	e.updateFastPath()
}

// goneError returns a *LostError if nothing can come from, or get to, this peer,
// which may be AnySource, in a context.
func (e *Engine) goneError(context uint32, peer int32) error {
	if e.dead == nil {
		return nil
	}
	return e.goneFor(context, peer)
}

// goneFor is goneError if ranks have gone.
func (e *Engine) goneFor(context uint32, peer int32) error {
	rank := int(peer)
	if peer == AnySource {
		circle, known := e.circles.of(context)
		switch rank = e.lost; {
		case known:
			rank = e.missing(circle)
		case rank >= 0:
		case e.deserted():
			if rank = e.job.World(e.rank).First; rank == e.rank {
				rank++
			}
		}
	} else if peer < 0 || !e.dead[peer] {
		return nil
	}
	if rank < 0 {
		return nil
	}
	return &fault.LostError{Rank: rank, Of: e.job.OtherJob(rank)}
}

// deserted tells whether all other ranks of this one's world are dead.
func (e *Engine) deserted() bool {
	return e.goneHere > 0 && e.goneHere == e.job.World(e.rank).Size-1
}

// visited tells whether ranks of other jobs may send in a context.
func (e *Engine) visited(context uint32) bool {
	circle, known := e.circles.of(context)
	return e.visits(circle) || known && len(circle) == 0
}

// visits tells whether ranks of a circle are of other jobs.
func (e *Engine) visits(circle []int32) bool {
	return slices.ContainsFunc(circle, func(rank int32) bool { return e.job.Visits(int(rank)) })
}

// Among limits what AnySource means in a context to the ranks of a circle, some of which are of other worlds or jobs.
// The end of a rank outside the circle fails nothing there. A nil circle takes the limit away. An empty one is for
// ranks that are not known yet: no end fails anything there. Tasks of the engine may call Among.
func (e *Engine) Among(context uint32, circle []int32) { e.circles.set(context, circle) }

// circles are those of Among by context. They have a lock of their own, because tasks are called with the engine's: the
// end of a nonblocking call may make a communicator. A goroutine that holds the lock of circles takes no other.
type circles struct {
	mu    sync.Mutex
	known map[uint32][]int32
}

func (c *circles) set(context uint32, circle []int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if circle == nil {
		delete(c.known, context)
		return
	}
	if c.known == nil {
		c.known = map[uint32][]int32{}
	}
	c.known[context] = circle
}

func (c *circles) of(context uint32) (circle []int32, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	circle, known = c.known[context]
	return circle, known
}

// missing returns a rank of a circle that went without Finalize. If all others are dead it returns one of them, but not
// if this rank is in the circle and no other job is: it may send to itself, and the proof of a deadlock finds a wait
// without end. Otherwise it returns -1.
func (e *Engine) missing(circle []int32) (first int) {
	first, left, itself := -1, 0, false
	for _, member := range circle {
		rank := int(member)
		switch {
		case rank == e.rank:
			itself = true
		case !e.dead[rank]:
			left++
		case e.job.State(rank) != job.StateFinal:
			return rank
		default:
			first = rank
		}
	}
	if left > 0 || itself && !e.visits(circle) {
		return -1
	}
	return first
}
