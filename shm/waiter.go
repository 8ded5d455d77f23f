package shm

import (
	"sync/atomic"
	"time"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// Waiter is how the thread of a rank waits. All waits of a rank are made of these stages, in this order. Each asks
// whether the wait is over, and may make progress on the way.
//
//	spin       asks again and again           takes the CPU                         answers in nanoseconds
//	yield      lets others run, asks again    shares the CPU                        answers in microseconds
//	busy poll  spins for some ms more         takes a CPU that nobody else wants    answers in nanoseconds
//	park       sleeps, some ms at most        takes a slot of GOMAXPROCS (park.go)  answers as fast as the kernel
//	           sleeps for good                takes a thread                        answers when Go has a slot again
//
// Which of them a wait has follows from the policy, and from contention: whether others want the CPU.
//
//   - Ranks that are no more than the CPUs spin, busy-poll and park.
//   - More ranks yield and park. If they are few on each CPU each has its turn soon, and they yield for long.
//   - Ranks that wait for a network as well spin, and yield after each look while the CPU is contended.
//   - While others compute on the CPU the rank rests: its waits park at once, and nothing yields. The kernel prefers a
//     thread that was woken to one that computes, but not one that yields. A rank that would spin looks for some
//     microseconds before: that costs less than the wake-up which it may save.
//
// A wait that holds the engine's lock, or polls a network, calls Begin, and GoOn after each look if Watching. Other
// waits, and tests, only go by Spins and Yields, which may be asked without the lock. Whoever asks Begin, Watching,
// GoOn, Worked or BusyPoll, or changes where the rank parks, has the lock.
type Waiter struct {
	policy     Policy
	polls      int         // looks of a wait that calls Begin
	plain      bool        // Begin has nothing to do: the rank spins, and no rest is on
	watching   bool        // GoOn is called after each look
	networked  bool        // ParkIn was called
	contention *contention // nil: nobody looks whether others want the CPU

	spins  atomic.Int32
	yields atomic.Int32
	until  atomic.Int64 // end of the rest; 0: there is none
	park   atomic.Pointer[Park]
}

// Policy is what a rank knows of its node when it starts.
type Policy struct {
	Spins int           // looks of a wait of a rank with a CPU for itself; 0: it yields a few times and parks
	Ranks int           // of the node
	CPUs  int           // that these may use, by affinity and quota
	Round time.Duration // in which each rank of the node has a short turn; 0: they are few
}

// The constants of the policy, and what chose them. Most durations derive from slice. job.DefaultSpin belongs to them.
//
// Each was varied by a factor of four, up and down, in a barrier on two CPUs. The numbers are medians of 15 alternating
// runs of pvasrun bench barrier. 4 ranks take 3.4 us. They take 7.0 with a perCPU of 1, and 3.1 to 3.6 with all other
// values. 16 ranks take 30 to 41 us, with SharedLooks of 256 always among the slowest. Beside two busy loops 2 ranks
// take 7 to 15 us whatever the values. There the choice follows from what the kernel does, as is said at each.
const (
	// SharedLooks bounds the looks of a rank that shares its CPU, each with a yield, and of one that waits for a
	// condition beside a network: another rank of the node may make it true, and need this CPU. A word that a program
	// reads as often in succession is waited for: see Yield.
	SharedLooks = 64

	// perCPU is the most ranks on each CPU with which a round of yields takes less than a wake-up: a barrier of 4 ranks
	// on 2 CPUs takes 2.6 us with yields, and 8.8 with a sleep in each. After as many yields each of the others has had
	// its turn. As many long turns in a row mean that others compute.
	perCPU = 4

	// slice is how long the kernel leaves the CPU to a thread while others want it: 0.2 to 4 ms.
	slice = 4 * time.Millisecond

	// looksPerClock is how many looks come between two readings of the clock, which take 40 ns. A look takes 10 to
	// 50 ns, at a socket 0.2 to 0.5 us.
	looksPerClock = 8

	// passing is how long a look and a yield take at most if nobody else runs.
	passing = 2 * time.Microsecond

	// restPerLoss is how much longer than what was lost a rest is. To find out that others still want the CPU costs no
	// more than this part of the time.
	restPerLoss = 32

	// notable is the part of the time that others must have had for the CPU to be wanted: the kernel interrupts a
	// thread that is alone, too, and takes up to 50 us to wake an idle CPU.
	notable = 8
)

const (
	quiet       = 4 * slice           // others who want the CPU do not leave it to a thread that polls for so long
	turn        = slice / 4           // longer than others take that poll and yield, with some work in between
	disturbance = slice / restPerLoss // longer than looksPerClock looks in vain; after less a rest would be no slice
	leastRest   = 2 * slice
	mostRest    = restPerLoss * quiet
)

// NewWaiter returns that of a rank that parks at an event.
func NewWaiter(p Policy) *Waiter {
	w := &Waiter{policy: p}
	atEvent := Park(parkAtEvent)
	w.park.Store(&atEvent)
	switch {
	case p.Ranks <= p.CPUs && p.Spins > 0:
		w.plain = true
	case p.Ranks <= perCPU*p.CPUs && p.Spins > 0:
		w.polls, w.watching = min(p.Spins, SharedLooks), true
		w.watch()
	default:
		w.watching = true
	}
	w.setShared(!w.plain)
	return w
}

// watch has the waiter look whether others want the CPU.
func (w *Waiter) watch() {
	if w.contention == nil {
		w.contention = newContention(w.policy.Ranks > w.policy.CPUs)
	}
}

// setShared says whether the rank shares its CPU, and no rest is on.
func (w *Waiter) setShared(shared bool) {
	spins, yields := w.policy.Spins, 0
	if shared {
		spins, yields = 0, perCPU
	}
	if w.plain {
		w.polls = spins
	}
	w.spins.Store(int32(spins))
	w.yields.Store(int32(yields))
}

// Spins is how many looks a wait makes, after its first, before it yields.
func (w *Waiter) Spins() int { return int(w.spins.Load()) }

// Yields is how often it yields then. 0: a test in vain does not yield, either.
func (w *Waiter) Yields() int {
	n := int(w.yields.Load())
	if n > 0 && w.resting() {
		return 0
	}
	return n
}

// Look asks over as often as a wait does before it parks, and tells whether it has returned true.
func (w *Waiter) Look(over func() bool) bool {
	for range w.Spins() + 1 {
		if over() {
			return true
		}
	}
	for range w.Yields() {
		if sys.Yield(); over() {
			return true
		}
	}
	return false
}

// Yield is called at the end of a test in vain: what the rank tests for may need its CPU.
func (w *Waiter) Yield() {
	if w.Yields() > 0 {
		sys.Yield()
	}
}

// Polls is how many looks a wait makes that calls Begin, if no rest is on; 0: it would hardly spin.
func (w *Waiter) Polls() int { return w.polls }

// Watching tells whether GoOn is to be called after each look.
func (w *Waiter) Watching() bool { return w.watching }

// Begin begins a wait, for a condition or for messages, and returns how many looks it may make after the first.
func (w *Waiter) Begin(condition bool) int {
	if w.plain {
		return w.polls
	}
	return w.begin(condition)
}

func (w *Waiter) begin(condition bool) int {
	c := w.contention
	if c == nil {
		return perCPU
	}
	c.looks, c.last, c.worked = 0, 0, false
	if until := w.until.Load(); until != 0 {
		now := c.clock()
		if now < time.Duration(until) || w.lost(now) {
			return w.Spins()
		}
		w.endRest()
	}
	if condition {
		return min(w.polls, SharedLooks)
	}
	return w.polls
}

// GoOn is called after a look in vain, or one that has worked. It tells whether the wait may look again. Modules say
// Worked by themselves of work that brings no message and completes nothing.
func (w *Waiter) GoOn(worked bool) bool {
	c := w.contention
	switch {
	case c == nil:
		if !worked {
			sys.Yield()
		}
		return true
	case c.end != 0 && w.networked: // ParkIn has been called in a busy poll
		return false
	case worked || c.worked:
		c.looks, c.last, c.worked = 0, 0, false
		return true
	case w.until.Load() != 0: // this was the only look of a wait in a rest
		return false
	case w.yields.Load() > 0:
		return w.yieldTo(c)
	}
	if c.looks++; c.looks%looksPerClock != 1 {
		return true
	}
	lap := c.lap()
	switch {
	case !w.networked: // a busy poll
		if lap > disturbance {
			w.rest(c.last, restPerLoss*lap)
			return false
		}
		return c.last < c.end
	case lap > disturbance:
		c.others, c.long = quiet, 0
		w.setShared(true)
	}
	w.polled(lap)
	return true
}

// yieldTo lets others run, and tells whether they leave the CPU soon.
func (w *Waiter) yieldTo(c *contention) bool {
	if c.last == 0 {
		c.last = c.clock()
	}
	c.yield()
	took := c.lap()
	if took <= turn {
		c.long = 0
	} else if c.long++; c.long >= perCPU {
		w.rest(c.last, c.rest)
		c.rest = min(4*c.rest, mostRest)
		return false
	}
	if took > passing {
		c.others += took
	}
	w.polled(took)
	return true
}

// polled notes how long the rank has polled.
func (w *Waiter) polled(d time.Duration) {
	if c := w.contention; c.polled(d) {
		w.setShared(c.many || c.others >= quiet/notable)
		c.calm, c.others = 0, 0
	}
}

// Worked is called by what a look has done if that was not in vain: it takes time, too.
func (w *Waiter) Worked() {
	if c := w.contention; c != nil {
		c.worked = true
	}
}

// ParkIn has the rank park elsewhere than at its event, where it waits for a network, too.
func (w *Waiter) ParkIn(park Park) {
	w.park.Store(&park)
	w.watch()
	w.contention.delay = nil
	w.networked, w.watching, w.plain, w.polls = true, true, false, w.policy.Spins
	w.setShared(w.contention.many)
}

// Sleep parks until ready returns true, which it asks before, and after each signal. lasting, if it is not nil, is
// called once when the first, short sleep is over: the wait has turned out to be a long one. Any goroutine may call
// it. The error is of the memory of the event, or of the network.
func (w *Waiter) Sleep(e *Event, ready func() bool, lasting func()) error {
	park := *w.park.Load()
	if e.parkBriefly(park, max(quiet, w.policy.Round), ready) {
		return nil
	}
	if lasting != nil {
		lasting()
	}
	return e.parkFor(park, ready)
}

// rest begins a rest.
func (w *Waiter) rest(now, long time.Duration) {
	w.until.Store(int64(now + min(long, mostRest)))
	w.contention.long = 0
	if w.networked || w.yields.Load() > 0 {
		w.spins.Store(0)
		return
	}
	w.plain, w.polls = false, min(w.policy.Spins, SharedLooks)
	w.spins.Store(int32(w.polls))
}

func (w *Waiter) endRest() {
	w.until.Store(0)
	w.contention.calm, w.contention.others = 0, 0
	w.plain = !w.watching
	w.setShared(w.yields.Load() > 0)
}

// resting tells whether the rank leaves its CPU to others. It needs no lock.
func (w *Waiter) resting() bool {
	until := w.until.Load()
	return until != 0 && w.contention.clock() < time.Duration(until)
}

// KeepPolling has the calling thread, which is the one that is going to wait, busy-poll before it parks, and find out
// whether others want its CPU. It is called before the waiter is used. It has no effect if the rank shares its CPU.
func (w *Waiter) KeepPolling() {
	if w.plain {
		w.watch()
		w.contention.delay = sys.ReadRunDelay
		w.lostAtStart()
	}
}

// lostAtStart rests if the thread has had to wait for its CPU so far: the processes of a job start together, and may
// hold each other up.
func (w *Waiter) lostAtStart() {
	c := w.contention
	c.before, c.asked = c.delay(), c.clock()
	if lost := c.before.Waited; lost > 2*turn && lost > c.before.Ran {
		w.rest(c.clock(), restPerLoss*lost)
	}
}

// lost asks the kernel how long the thread has waited for a CPU since it was asked before, and rests if that is
// notable. What was lost in shorter waits counts, and while the program computed.
func (w *Waiter) lost(now time.Duration) bool {
	lost, notable := w.contention.waited(now)
	if notable {
		w.rest(now, restPerLoss*lost)
	}
	return notable
}

// BusyPoll has look called again and again until it returns true. look does so if Watching and GoOn returns false:
// when it is time to park. In a rest, and if the process has other goroutines, BusyPoll does nothing. So ranks that
// wait milliseconds for one another, because one of them has more to compute, answer as if they had never slept: to
// wake a thread takes 5 us, on a virtual machine 40, which is less than 1 % of the time. BusyPoll tells whether it has
// looked.
func (w *Waiter) BusyPoll(look func() bool) (looked bool) {
	c := w.contention
	if w.watching || c == nil {
		return false
	}
	if !w.plain {
		w.begin(true)
	}
	now := c.clock()
	if !w.plain || w.lost(now) || !c.alone() {
		return false
	}
	c.looks, c.last, c.worked, c.end = 0, 0, false, now+quiet
	w.watching = true
	for !look() {
	}
	w.watching, c.end = w.networked, 0 // ParkIn may have been called meanwhile
	return true
}
