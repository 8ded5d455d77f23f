package shm

import (
	"sync/atomic"
	"time"
)

// Crowd tells a thread that polls whether others want its CPU. Ranks that are more than the CPUs
// of their node do not poll at all, but the launcher does not see who else is there: other jobs,
// containers, or other nodes of the job that are on the same machine.
//
// The thread reads the clock after the first look in vain, and after each looksPerClock more. A time in
// between that is longer than such looks take was taken by another task, which the scheduler has
// preferred. So the thread stops polling, and its waits sleep at once until a rest is over. The first
// rest is short, because an interrupt or a daemon may have been the cause. The rest doubles each time,
// up to mostRest. It halves when the thread has polled for quietTime without disturbance.
//
// None of this makes a system call. A wait that ends with its first look reads no clock, unless there
// is a rest.
//
// Whoever has the engine's lock calls Looks, GoOn and Worked. Any goroutine may call Resting. All that it
// shares with the others is until, which is atomic for that reason.
//
// A nil Crowd knows of nobody.
type Crowd struct {
	clock func() time.Duration
	looks uint
	last  time.Duration // when the clock was read in this wait; 0: it was not
	rest  time.Duration // how long the next rest takes
	quiet time.Duration // polled without disturbance since the last rest, or since the rest was halved
	until atomic.Int64  // end of the rest; 0: there is none
}

const (
	// looksPerClock is how many looks come between two readings of the clock. A look at a
	// socket takes 0.2 to 0.5 us.
	looksPerClock = 8

	// disturbance is longer than so many looks in vain take. A task that polls, or has work,
	// mostly keeps the CPU for 0.2 to 4 ms.
	disturbance = 100 * time.Microsecond

	// quietTime is longer than others who want the CPU leave it to a thread that polls.
	quietTime = 16 * time.Millisecond

	leastRest = time.Millisecond
	mostRest  = 128 * time.Millisecond // to find out that the CPU is wanted costs some 2 ms
)

// NewCrowd returns what a thread knows at its start.
func NewCrowd() *Crowd {
	start := time.Now()
	return newCrowd(func() time.Duration { return time.Since(start) })
}

func newCrowd(clock func() time.Duration) *Crowd { return &Crowd{clock: clock, rest: leastRest} }

// Looks is called when a wait begins that would make n looks. It returns how many it may make. No
// reading of an earlier wait is compared with one of this wait: what lies between is not polling.
func (c *Crowd) Looks(n int) int {
	if c == nil {
		return n
	}
	c.looks, c.last = 0, 0 // before the rest: its waits make one look each
	if until := c.until.Load(); until != 0 {
		now := c.clock()
		if now < time.Duration(until) {
			return 0
		}
		c.until.Store(0)
		c.quiet = 0
	}
	return n
}

// GoOn is called after each look of a wait, and tells whether it may make another one.
func (c *Crowd) GoOn() bool {
	if c == nil {
		return true
	}
	c.looks++
	return c.looks%looksPerClock != 1 || c.undisturbed()
}

func (c *Crowd) undisturbed() bool {
	now := c.clock()
	last := c.last
	c.last = now
	switch {
	case last == 0:
	case now-last > disturbance:
		c.until.Store(int64(now + c.rest))
		c.rest = min(2*c.rest, mostRest)
		return false
	default:
		if c.quiet += now - last; c.quiet >= quietTime {
			c.rest, c.quiet = max(c.rest/2, leastRest), 0
		}
	}
	return true
}

// Worked is called where a look was not in vain: what it has done takes time, too.
func (c *Crowd) Worked() {
	if c != nil {
		c.looks, c.last = 0, 0
	}
}

// Resting tells whether the thread is to leave the CPU to others.
func (c *Crowd) Resting() bool {
	if c == nil {
		return false
	}
	until := c.until.Load()
	return until != 0 && c.clock() < time.Duration(until)
}
