package job

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/shm"
)

// Each rank has an inbox event: it sleeps there until something has happened to it,
// and the rank that makes something happen calls Notify. That it lies here and not in
// the rank's own shared memory has two reasons: MarkGone reaches all of them, and
// a peer can wake a rank that it has not met.

// CounterSlots is the number of counters that each rank can publish.
const CounterSlots = 64

// CallSlots is the number of kinds of calls that each rank can count.
const CallSlots = 128

// Inbox returns the event that a rank sleeps on, nil if there is no such rank. It
// stays valid as long as the root block is mapped.
func (r *Root) Inbox(rank int) *shm.Event {
	b, err := r.rank(rank)
	if err != nil {
		return nil
	}
	return &b.inbox
}

// Gone tells whether the rank has gone. That costs a load from a cache line that
// nobody writes to as long as all ranks are there.
func (r *Root) Gone(rank int) bool {
	if r.head.goneCount.Load() == 0 {
		return false
	}
	return r.block(rank).gone.Load() != 0
}

// GoneCount returns how many ranks have gone. It never falls.
func (r *Root) GoneCount() int { return int(r.head.goneCount.Load()) }

// EventCounter returns a word that grows when GoneCount does and, in a job that survives, with each revocation. It is
// for callers that look often.
func (r *Root) EventCounter() *atomic.Uint32 {
	if r.settings.Survive {
		return &r.head.events
	}
	return &r.head.goneCount
}

// OpenMailbox tells all ranks where the calling rank's mailbox lies, and wakes
// those that have looked for it too early. The mailbox is ready for use. To be
// called by the rank itself, once.
//
// A rank that finds no mailbox sets the peer's bit in its early (E1). With its first bit it does head.early++ (E2).
// Then it looks again (E3), and leaves it to its next wake-up to try again. One goroutine of a rank does so at a time:
// the engine's lock is held. The opener stores the place (O1), and reads head.early (O2). If that is not 0, it reads
// the early of every rank (O3), and notifies those that have its bit.
//
// If E1 comes before O3, and E2 before O2, the opener wakes the rank; its Sleep asks again, see shm.Event. Else O1
// comes before E3, which finds the mailbox.
func (r *Root) OpenMailbox(rank int, at uint64) {
	r.block(rank).mailbox.Store(at + 1)
	if r.head.early.Load() == 0 {
		return
	}
	for i := range r.Ranks() {
		if r.ranks[i].early.Load()&earlyBit(rank) != 0 {
			r.ranks[i].inbox.Notify()
		}
	}
}

// earlyBit stands for the mailbox of a rank, and of others. Bits stay. So a rank that has looked for a few mailboxes is
// woken for a few of all: if each that starts woke all that have started, N ranks would cost N * N.
func earlyBit(rank int) uint64 { return 1 << (uint(rank) % 64) }

// Mailbox returns where the peer's mailbox lies, for the calling rank; ok is false
// if the peer has not opened it. Then the caller's inbox is notified when it has.
func (r *Root) Mailbox(rank, peer int) (at uint64, ok bool) {
	own, err := r.rank(rank)
	if err != nil {
		return 0, false
	}
	b, err := r.rank(peer)
	if err != nil {
		return 0, false
	}
	place := b.mailbox.Load()
	if place == 0 {
		if own.early.Or(earlyBit(peer)) == 0 {
			r.head.early.Add(1)
		}
		place = b.mailbox.Load()
	}
	return place - 1, place != 0
}

// PublishCounters makes the rank's counters visible to the supervisor, from slot
// first on. It leaves out values that do not fit. Only the rank itself calls it.
func (r *Root) PublishCounters(rank, first int, values ...uint64) {
	b := r.block(rank)
	for i, v := range values {
		if slot := first + i; uint(slot) < CounterSlots {
			b.counters[slot].Store(v)
		}
	}
}

// AddCounters adds to counters that nobody else publishes, from a slot on. Only the rank itself calls it, from any
// goroutine.
func (r *Root) AddCounters(rank, first int, values ...uint64) {
	b := r.block(rank)
	for i, v := range values {
		b.counters[first+i].Add(v)
	}
}

// Counters returns the values that the rank has published last: each counter by itself is
// right, together they may be of different times.
func (r *Root) Counters(rank int) (values [CounterSlots]uint64) {
	b := r.block(rank)
	for i := range values {
		values[i] = b.counters[i].Load()
	}
	return values
}

// CountCall adds one to a count of calls of the rank; the caller gives the slots their
// meaning. It leaves out slots that do not exist. Only the rank itself calls it, from any
// goroutine.
func (r *Root) CountCall(rank, slot int) {
	if uint(slot) < CallSlots {
		r.block(rank).calls[slot].Add(1)
	}
}

// Calls returns how often the rank has called CountCall, by slot.
func (r *Root) Calls(rank int) (calls [CallSlots]uint64) {
	b := r.block(rank)
	for i := range calls {
		calls[i] = b.calls[i].Load()
	}
	return calls
}

// The state of process_vm_readv in this job.
const (
	cmaUnknown = iota
	cmaWorks
	cmaRefused
)

// NoteCMA notes whether the kernel let a rank read another's memory. The first note
// counts.
func (r *Root) NoteCMA(works bool) {
	verdict := uint32(cmaRefused)
	if works {
		verdict = cmaWorks
	}
	r.head.cma.CompareAndSwap(cmaUnknown, verdict)
}

// CMA returns the result that NoteCMA noted; known is false if no rank has tried yet.
func (r *Root) CMA() (works, known bool) {
	v := r.head.cma.Load()
	return v == cmaWorks, v != cmaUnknown
}
