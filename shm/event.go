package shm

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// EventSize is the number of bytes an Event takes in shared memory.
const EventSize = 8

// Event lets any number of threads, in any number of processes, sleep until a
// condition held in shared memory has become true. It holds no condition itself.
// Its zero value is ready for use, and memory filled with zeros is a zero Event.
//
// States: there is only the pair of words.
//   - seq counts the signals, modulo 2^32. Written by signallers only.
//   - sleepers counts the waiters that are about to sleep, asleep, or just awake.
//     Written by waiters only, each adding one and taking one away.
//
// The signaller's side, and the waiter's:
//
//	make the condition true (atomic)      sleepers++            (W1)
//	seq++                     (S1)        s = seq               (W2)
//	if sleepers != 0          (S2)        if condition: done    (W3)
//	    wake all                          sleep while seq == s  (W4)
//
// No wake-up is lost. All these are atomic operations of Go, hence in one total
// order. If W1 comes before S2, the signaller sees the sleeper and wakes all. S1
// came before, so one of three things holds. The waiter is asleep by then, and is
// woken. Or the kernel finds seq and s different and does not let it sleep: it
// compares them and puts the thread into the queue as one step. Or the waiter read
// s after S1, and then W3 sees the condition. If S2 comes before W1, the condition and S1 come
// before W1 too, and W3 sees the condition. The one exception is a waiter that is
// held up between W2 and W4 for exactly 2^32 signals.
//
// A process killed between W1 and its own decrement leaves sleepers too high for
// ever. This costs later signallers a system call each; it never loses a wake-up
// and never blocks.
//
// An Event must not be copied and must lie at a multiple of four bytes.
type Event struct {
	seq      atomic.Uint32
	sleepers atomic.Uint32
}

// Signal tells all waiters to look at their conditions again. The caller has made
// the condition true before, by an atomic operation. Signal does not block; it
// makes a system call only if a thread sleeps.
func (e *Event) Signal() {
	e.seq.Add(1)
	if e.sleepers.Load() != 0 {
		// The only causes of failure are a misplaced or unmapped word, and the
		// two lines above would have faulted on those.
		_ = sys.FutexWake(&e.seq)
	}
}

// Notify does what Signal does, for hot paths: as long as no thread sleeps it only
// reads, so that the cache line of the event stays in the caches of all notifiers.
//
//	make the condition true (atomic)
//	if sleepers != 0          (N1)
//	    seq++                 (N2)
//	    wake all              (N3)
//
// No wake-up is lost. If N1 comes before W1, the condition comes before W3, which
// sees it. Else N1 may see the sleeper; if it sees none, the waiter has
// deregistered in between, and so is awake and needs nothing. If it sees one, N2
// and N3 follow: a waiter that read seq (W2) before N2 is asleep by N3 and woken,
// or finds seq changed and does not fall asleep; one that read it after N2 sees
// the condition (W3).
//
// It returns true if there was a sleeper, and so a system call.
func (e *Event) Notify() bool { return e.sleepers.Load() != 0 && e.wake() }

// wake is apart from Notify so that Notify can be inlined.
//
//go:noinline
func (e *Event) wake() bool {
	e.seq.Add(1)
	_ = sys.FutexWake(&e.seq) // as in Signal
	return true
}

// Wait returns nil as soon as ready returns true. It asks, sleeps until a signal, and asks again. While it sleeps, Wait
// takes no CPU, and keeps a thread but none of the slots of GOMAXPROCS. It is for threads that seldom wait; ranks have
// a Waiter.
//
// ready reads its condition by atomic operations, or under a lock. It must not block, and may be called any number of
// times. The error is for memory on which the kernel cannot let a thread sleep.
func (e *Event) Wait(ready func() bool) error {
	if ready() {
		return nil
	}
	return e.parkFor(parkAtEvent, ready)
}

// Count returns a number that differs after each signal, and after each notification that has found a sleeper.
func (e *Event) Count() uint32 { return e.seq.Load() }

// Follow sleeps until the count is not the given one, without counting as a sleeper: it learns only of what wakes the
// sleepers that there are. It may return early.
func (e *Event) Follow(count uint32) error { return sys.FutexWait(&e.seq, count) }

// Enlist registers n followers as sleepers, or -n no more: then Notify wakes them.
func (e *Event) Enlist(n int) { e.sleepers.Add(uint32(n)) }

// SignalWhenDone signals the event when the context is done, until end is called. After end has
// returned nothing touches the event: its memory may be unmapped.
func (e *Event) SignalWhenDone(ctx context.Context) (end func()) {
	signalled := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(signalled)
		e.Signal()
	})
	return func() {
		if !stop() {
			<-signalled
		}
	}
}

// parkFor is the waiter's side of the protocol.
func (e *Event) parkFor(park Park, ready func() bool) error {
	e.sleepers.Add(1)                // W1
	defer e.sleepers.Add(^uint32(0)) // minus one
	for {
		seq := e.seq.Load() // W2
		if ready() {        // W3
			return nil
		}
		if _, err := park(e, seq, 0); err != nil { // W4
			return fmt.Errorf("shm: wait for event: %w", err)
		}
	}
}
