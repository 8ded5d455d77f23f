package shm

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// A rank parks briefly first: it sleeps, and the Go scheduler does not learn of that, which makes waking several
// times cheaper. The thread keeps its slot of GOMAXPROCS (a P) while it sleeps. What that
// may keep from the other goroutines of the process is the subject of this file.
//
// The runtime itself always gets the thread: at the latest when the time of the sleep is over. It sends a signal to the
// thread to stop the world, or to preempt a goroutine that has run for 10 ms. It repeats the signal until the thread
// has obeyed. The signal ends the brief sleep, because a futex wait with a time limit is not restarted. In libmpi the
// runtime sends no signals (asyncpreemptoff): there it waits.
//
// Other goroutines need a slot. There are three cases:
//
//   - A slot is left. Goroutines that become ready are run there, also those in the
//     queue of the sleeper's slot, because an idle slot takes work from all others.
//     No goroutine waits for the sleep.
//   - There is no other goroutine. Nobody can become ready either: only a goroutine
//     starts another one. (Or a thread of C that calls Go, so a program with cgo does not
//     count as alone before it calls Sole.)
//   - No slot is left for other goroutines. They would have to wait until the
//     scheduler preempts the sleeper, which takes 10 to 20 ms. (Measured with
//     GOMAXPROCS=1: a signal.Notify goroutine and a socket are served within 10 ms in
//     the median and 20 ms at worst; within 0.1 ms, as without such sleeps, if a slot is left.
//     Shorter sleeps with Gosched between do not help: what comes from the network is found
//     by an idle slot only, and so not before the scheduler looks by itself, after 10 ms.)
//
// So in the third case a process takes one slot more, once, and is in the first case
// from then on: the sleeper has a slot of its own. (After Sole it may take it once more.)
// A program that then lowers GOMAXPROCS means it, and has no brief sleeps as long as there are other goroutines. The
// launcher starts ranks with GOMAXPROCS=1 if they are as many as the CPUs. So a rank there is in the third case if it
// calls signal.Notify or serves HTTP.
//
// parked and dedicated are counted in the same process by its own threads, so that two
// goroutines never both take the last slot.

var (
	dedicated atomic.Int32 // goroutines of Dedicate
	attending atomic.Int32 // goroutines of Attend
	parked    atomic.Int32 // goroutines in parkBriefly that are not alone
	slots     sync.Mutex   // held where a number of slots follows from an earlier one
	extraSlot bool         // the process has taken a slot for brief sleeps; guarded by slots

	// calledByC tells that threads of C may call Go at any time. The runtime of a program
	// with cgo has called C before this is set.
	calledByC atomic.Bool
)

func init() { calledByC.Store(runtime.NumCgoCall() > 0) }

// Sole tells whether no thread of C calls Go any more but the one that the calling goroutine has. The process gets so
// many slots, and one for each goroutine of Dedicate. Its brief sleeps may take one slot more, also if they had taken
// one.
func Sole(sole bool, n int) {
	calledByC.Store(!sole)
	slots.Lock()
	defer slots.Unlock()
	extraSlot = false
	runtime.GOMAXPROCS(n + int(dedicated.Load()))
}

// Dedicate gives the calling goroutine a thread and a slot of GOMAXPROCS of its own, so
// that brief sleeps of others keep nothing from it. The function that it returns is called when the
// goroutine ends, and its thread with it.
func Dedicate() (end func()) {
	runtime.LockOSThread() // for good
	dedicate(1)
	return func() { dedicate(-1) }
}

// dedicate counts goroutines of Dedicate and gives them slots.
func dedicate(n int) {
	slots.Lock()
	defer slots.Unlock()
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + n)
	dedicated.Add(int32(n))
}

// Alone tells whether the process has but one goroutine beside those of Dedicate.
func Alone() bool { return runtime.NumGoroutine() <= 1+int(dedicated.Load()) && !calledByC.Load() }

// Attend counts goroutines that only serve a wait, and begin nothing by themselves: n more, or
// fewer. So many more of them have slots of GOMAXPROCS, and count as those of Dedicate.
func Attend(n, withSlots int) {
	attending.Add(int32(n - withSlots))
	if withSlots != 0 {
		dedicate(withSlots)
	}
}

// Others tells whether the program has goroutines, or may have threads, beside the calling one.
func Others() bool {
	return runtime.NumGoroutine() > 1+int(dedicated.Load()+attending.Load()) || calledByC.Load()
}

// mayPark tells whether a goroutine may park briefly that is not alone, and has counted itself in
// parked as number n.
func mayPark(n int32) bool {
	helpers := int(dedicated.Load())
	if int(n)+helpers < runtime.GOMAXPROCS(0) {
		return true
	}
	if n > 1 {
		return false // another sleeper has the slot
	}
	takeExtraSlot()
	return int(n)+helpers < runtime.GOMAXPROCS(0)
}

// takeExtraSlot takes a slot for brief sleeps, once until Sole says how many slots there are.
func takeExtraSlot() {
	slots.Lock()
	defer slots.Unlock()
	if !extraSlot {
		extraSlot = true
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
	}
}

// Park has the calling thread sleep until the count of an event is not the given one, or something else has come that
// it waits for. With a limit the sleep is a brief one, which Go's scheduler does not learn of: woken is false if the
// time is over, or a signal has come. Without one, 0, it lasts as long as it takes. Park may return early.
type Park func(e *Event, count uint32, limit time.Duration) (woken bool, err error)

// parkAtEvent is the Park of a thread that waits for nothing but the event.
func parkAtEvent(e *Event, count uint32, limit time.Duration) (bool, error) {
	if limit > 0 {
		return sys.FutexWaitBriefly(&e.seq, count, int64(limit)), nil
	}
	return true, sys.FutexWait(&e.seq, count)
}

// parkBriefly is parkFor by brief sleeps. It returns true as soon as ready does. It returns false after one without a
// signal, and when Go's scheduler asks for the thread. Where there is no slot for it, it does so at once. Then it is
// time to sleep for good. An error is left to that.
func (e *Event) parkBriefly(park Park, limit time.Duration, ready func() bool) bool {
	if !Alone() { // a process with one goroutine begins no second sleep meanwhile
		n := parked.Add(1)
		defer parked.Add(-1)
		if !mayPark(n) {
			return false
		}
	}
	e.sleepers.Add(1) // W1, as in parkFor
	defer e.sleepers.Add(^uint32(0))
	for {
		seq := e.seq.Load()
		if ready() {
			return true
		}
		if woken, err := park(e, seq, limit); !woken || err != nil {
			return false
		}
	}
}
