package shm

import (
	"context"
	"fmt"
	"time"

	"github.com/gopvas/gopvas/internal/sys"
)

// All waits of this project are made of these stages, in this order. Each stage asks a
// callback of the caller, which returns true when the wait is over, and which may make
// progress on the way.
//
//	Look    asks again and again      takes the CPU        answers in nanoseconds
//	Vigil   looks for 10 ms more      takes a CPU that nobody else wants (vigil.go); the waits of pml only
//	Nap     sleeps, some ms at most   takes no CPU, but    answers as fast as the kernel
//	        (see nap.go)              a slot of GOMAXPROCS
//	doze    sleeps for good           takes a thread       answers when Go has a slot again
//
// Event.Wait is doze alone: for threads that seldom wait. Event.Sleep is Nap and doze:
// for ranks, whose callers Look by themselves because they hold a lock meanwhile.
//
// The callback reads its condition by atomic operations, or under a lock. It must
// not block, and may be called any number of times.

// Look asks over once and then up to n more times in a tight loop. It returns whether
// over returned true.
func Look(n int, over func() bool) bool {
	for i := 0; ; i++ {
		if over() {
			return true
		}
		if i >= n {
			return false
		}
	}
}

// Wait returns nil as soon as ready returns true. It asks, sleeps until a signal, and asks
// again. While it sleeps, Wait takes no CPU, and keeps a
// thread but none of the GOMAXPROCS slots.
//
// The error is for memory on which the kernel cannot let a thread sleep.
func (e *Event) Wait(ready func() bool) error {
	if ready() {
		return nil
	}
	return e.doze(futexBed{}, ready)
}

// Sleep is Wait that naps before it sleeps for good. lasting, if it is not nil, is
// called once between the two: the wait has turned out to be a long one.
func (e *Event) Sleep(ready func() bool, lasting func()) error {
	return e.SleepIn(nil, ready, lasting)
}

// Bed is where a thread sleeps until the count of an event has changed. A thread that also
// waits for something else brings a bed of its own, in which both wake it.
type Bed interface {
	// Yields tells whether other processes are to run a few times before the first nap: those
	// that share the CPU and may be about to signal.
	Yields() bool
	// Crowd is what those know who poll before they sleep here; nil: nothing.
	Crowd() *Crowd
	// Nap sleeps for limit at most, and the Go scheduler does not learn of it: see nap.go. It
	// returns false if the time is over, or if a signal has come.
	Nap(e *Event, count uint32, limit time.Duration) bool
	// Doze sleeps for as long as it takes.
	Doze(e *Event, count uint32) error
}

// futexBed is the bed of a thread that waits for nothing but the event.
type futexBed struct {
	crowd *Crowd
	nap   time.Duration
}

// NewBed returns the bed of a thread that waits for nothing but the event. If the crowd says so, the thread has
// others run after each of its looks. Its naps are no shorter than the given time: a nap that ends in vain wakes
// threads of the Go runtime.
func NewBed(c *Crowd, nap time.Duration) Bed { return futexBed{c, nap} }

func (b futexBed) Nap(e *Event, count uint32, limit time.Duration) bool {
	return sys.FutexWaitBriefly(&e.seq, count, int64(max(limit, b.nap)))
}

// Yields implements Bed. With a crowd the thread has given way while it looked, or rests.
func (b futexBed) Yields() bool { return b.crowd == nil }

func (b futexBed) Crowd() *Crowd { return b.crowd }

func (futexBed) Doze(e *Event, count uint32) error { return sys.FutexWait(&e.seq, count) }

// SleepIn is Sleep in a bed. Nil stands for that of Sleep.
func (e *Event) SleepIn(b Bed, ready func() bool, lasting func()) error {
	if b == nil {
		b = futexBed{}
	}
	if e.nap(b, ready) {
		return nil
	}
	if lasting != nil {
		lasting()
	}
	return e.doze(b, ready)
}

// Count returns a number that differs after each signal, and after each notification that
// has found a sleeper. A bed uses it.
func (e *Event) Count() uint32 { return e.seq.Load() }

// Follow sleeps until the count is not the given one, without counting as a sleeper: it
// learns only of what wakes the sleepers that there are. It may return early.
func (e *Event) Follow(count uint32) error { return sys.FutexWait(&e.seq, count) }

// Enlist counts who follows among the sleepers, n more or fewer: then notifications also end a Follow.
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

// doze is the waiter's side of the protocol at Event.
func (e *Event) doze(b Bed, ready func() bool) error {
	e.sleepers.Add(1)                // W1
	defer e.sleepers.Add(^uint32(0)) // minus one
	for {
		seq := e.seq.Load() // W2
		if ready() {        // W3
			return nil
		}
		if err := b.Doze(e, seq); err != nil { // W4
			return fmt.Errorf("shm: wait for event: %w", err)
		}
	}
}
