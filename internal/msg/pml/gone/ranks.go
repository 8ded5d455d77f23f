package gone

import (
	"iter"
	"slices"
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/node/job"
)

// Job has the methods of the job that are asked for: see *job.Root.
type Job interface {
	EventCounter() *atomic.Uint32
	All() iter.Seq[int]
	Gone(rank int) bool
	State(rank int) job.State
	World(rank int) job.World
	Visits(rank int) bool
	OtherJob(rank int) string
	Settings() job.Settings
}

// Ranks is what a rank knows of the others that have gone. The caller's lock guards it, but for Among and Events.
type Ranks struct {
	job     Job
	rank    int
	places  int
	survive bool           // the job goes on without ranks that have failed
	count   *atomic.Uint32 // the job's EventCounter
	circles circles        // has a lock of its own

	known    int             // Events when all ranks that had gone were dead
	here     int             // those of this rank's world among them
	seen     int             // Events at the last Look
	received uint64          // messages that had been handed over then
	departed []int           // the ranks that had
	due      []bool          // by rank: one of its messages was not handed over
	dead     []bool          // by rank: it has gone, and so have its messages; made when needed
	lost     int             // one of them that went without Finalize, -1 if none
	revoked  map[uint32]bool // contexts of communicators that were revoked; nil: none
	recent   []uint32        // those of them that NewlyRevoked has not returned yet
	read     func() []uint32 // see Revocations; nil: nothing is revoked
	looks    uint64          // calls of Look that may have changed something
	isDue    func(rank int)
}

// Init makes the knowledge of a rank of the job.
func (r *Ranks) Init(j Job, rank, places int) {
	r.job, r.rank, r.places, r.count, r.lost = j, rank, places, j.EventCounter(), -1
	r.survive = j.Settings().Survive
	r.isDue = func(rank int) { r.due[rank] = true }
}

// Events grows when a rank of the job goes and, in a job that survives, when a communicator is revoked. It never falls.
func (r *Ranks) Events() int { return int(r.count.Load()) }

// News tells whether there is any that is not known to be dead: then Look.
func (r *Ranks) News() bool { return r.Events() != r.known }

// Any tells whether any is known to have gone.
func (r *Ranks) Any() bool { return r.dead != nil }

// Dead tells whether a rank has gone, and so have its messages. Any is true.
func (r *Ranks) Dead(rank int) bool { return r.dead[rank] }

// Look learns which ranks have gone since its last call. poll takes messages, received counts those that were handed
// over, senders tells whose messages were not. network says that some peers are reached by a network. It returns false
// if nothing can have changed.
//
// The order matters: Look first looks which ranks have gone, then takes messages, and then asks whose messages
// are left. A rank that goes in between raises the count, and the next call looks at it.
//
// The next call also looks at a rank that has gone and has messages left. The queue may have held more than a call
// takes. Or a message comes first whose sender lives and is in the middle of the send: it may be preempted, or
// stopped without end. Behind that, each message of a rank that has gone is complete or never will be, so
// the modules can tell its source.
//
// Such a rank becomes dead only after a message was handed over, or after another rank has gone. Without either the
// call does nothing. With a network it looks in any case: a network has more to take in than messages.
func (r *Ranks) Look(network bool, poll func(), received func() uint64, senders func(func(rank int))) bool {
	n := r.Events()
	if n == r.seen && !network && received() == r.received {
		return false
	}
	gone := r.departed[:0]
	for rank := range r.job.All() {
		if rank != r.rank && r.job.Gone(rank) {
			gone = append(gone, rank)
		}
	}
	r.departed = gone
	if r.dead == nil {
		r.dead, r.due = make([]bool, r.places), make([]bool, r.places)
	}
	poll()
	r.looks++
	clear(r.due)
	senders(r.isDue)
	r.seen, r.received = n, received()
	all := true
	for _, rank := range gone {
		r.dead[rank] = r.dead[rank] || !r.due[rank]
		all = all && r.dead[rank]
	}
	if all {
		own := r.job.World(r.rank)
		r.noteLost(gone, &own)
		r.known = n
		r.here = len(slices.DeleteFunc(gone, func(rank int) bool { return !own.Has(rank) }))
	}
	return true
}

// noteLost looks for a rank of this one's world that went without Finalizr. All ranks that have gone are dead.
func (r *Ranks) noteLost(gone []int, own *job.World) {
	for _, rank := range gone {
		if r.lost < 0 && own.Has(rank) && r.job.State(rank) != job.StateFinal {
			r.lost = rank
		}
	}
}
