package shm

import (
	"time"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// contention is what a Waiter knows of others who want its CPU. A node may have more ranks than CPUs (many). In a job
// of several nodes the launcher does not see who else is there: other jobs, containers, or nodes on the same machine.
// Nobody tells, so the thread finds out by what it loses:
//
//   - A thread that spins reads the clock now and then. A time in between that is longer than its looks take was taken
//     by another task, or it was work that a look has done (worked).
//   - A thread that yields measures how long others run. One turn may be long because several have work. If some in
//     a row are, one of the others computes, or polls and does not yield.
//   - The kernel tells how long the thread has waited for a CPU. That counts what was lost in short waits, which read
//     no clock, and while the program computed.
//
// A rest after a loss in a busy poll, or one that the kernel tells, is restPerLoss times the loss. A rest after long
// turns begins with leastRest: they may be chance. It grows fourfold each time, and halves when the thread has polled
// for quiet without a rest. A thread that others had little of in that time stops yielding, unless there are many.
//
// A yield is a system call for each look in vain; else there is none. A wait that ends with its first look reads no
// clock, unless there is a rest.
type contention struct {
	clock func() time.Duration
	yield func()
	delay func() sys.RunDelay // of the thread; nil: the kernel is not asked
	alone func() bool         // Alone

	many   bool // there are more threads than CPUs
	worked bool // the last look was not in vain
	looks  uint
	last   time.Duration // when the clock was read in this wait; 0: it was not
	end    time.Duration // of the busy poll; 0: none is on
	rest   time.Duration // how long the next rest after long turns takes
	calm   time.Duration // polled since the last rest, or since rest was halved
	others time.Duration // of that, what others may have had
	long   int           // long turns in a row; work between two of them is no matter

	asked  time.Duration // when the kernel was
	before sys.RunDelay  // what it said
}

func newContention(many bool) *contention {
	start := time.Now()
	return &contention{
		clock: func() time.Duration { return time.Since(start) }, yield: sys.Yield, alone: Alone,
		many: many, rest: leastRest,
	}
}

// lap returns the time since the clock was read in this wait, 0 if it was not. No reading of an earlier wait counts:
// what lies between is not polling.
func (c *contention) lap() time.Duration {
	now := c.clock()
	last := c.last
	c.last = now
	if last == 0 {
		return 0
	}
	return now - last
}

// polled notes how long the thread has polled, and tells whether that is quiet in all.
func (c *contention) polled(d time.Duration) bool {
	if c.calm += d; c.calm < quiet {
		return false
	}
	c.rest = max(c.rest/2, leastRest)
	return true
}

// waited asks the kernel how long the thread has waited for a CPU since it was asked before, once in a slice: to ask
// takes 5 us.
func (c *contention) waited(now time.Duration) (lost time.Duration, wanted bool) {
	if c.delay == nil || now-c.asked < slice {
		return 0, false
	}
	said, before, since := c.delay(), c.before, now-c.asked
	c.before, c.asked = said, now
	lost = said.Waited - before.Waited
	return lost, said.Thread == before.Thread && lost >= max(turn, since/notable)
}
