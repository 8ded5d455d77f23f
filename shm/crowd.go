package shm

import (
	"sync/atomic"
	"time"

	"github.com/gopvas/gopvas/internal/sys"
)

// Crowd tells a thread that polls whether others want its CPU. A node may have more ranks than CPUs
// (many). A job of one node has a Crowd only then, and only if the ranks are few (job.Root.Few). In a job of
// several nodes the launcher does not see who else is there: other jobs, containers, or nodes on the same machine.
//
// If there are many, the thread gives way from the start: it has others run after each look. Else it reads the
// clock after the first look in vain, and after each looksPerClock more. A time in between that is longer
// than such looks take was taken by another task, which the scheduler has preferred. From then on the
// thread gives way. If the others poll, too, and give way, each has its turn after some microseconds, and no
// thread must be woken. One turn may be long because several have work. If some in a row are, one of the others
// computes, or polls and does not give way. Then the waits sleep at once until a rest is over: the scheduler
// prefers a thread that is woken, but not one that gives way. The rest grows fourfold each time, up to
// mostRest. It halves when the thread has polled for quietTime without a rest. A thread that had little
// company in that time does not give way any more, unless there are many.
//
// A thread that gives way makes a system call for each look in vain; else there is none. A wait that
// ends with its first look reads no clock, unless there is a rest.
//
// Whoever has the engine's lock calls Looks, GoOn and Worked. Any goroutine may call the others. Of the
// fields that these read, only until and yields change, which are atomic for that reason.
//
// A nil Crowd knows of nobody.
type Crowd struct {
	clock  func() time.Duration
	yield  func()
	many   bool        // there are more threads than CPUs
	yields atomic.Bool // the thread gives way
	worked bool        // the last look was not in vain
	looks  uint
	last   time.Duration // when the clock was read in this wait; 0: it was not
	rest   time.Duration // how long the next rest takes
	calm   time.Duration // polled since the last rest, or since the rest was halved
	shared time.Duration // of that, what may have been others' time
	until  atomic.Int64  // end of the rest; 0: there is none
	long   int           // long turns in a row; work between two of them is no matter
}

const (
	// looksPerClock is how many looks come between two readings of the clock. A look at a
	// socket takes 0.2 to 0.5 us.
	looksPerClock = 8

	// disturbance is longer than so many looks in vain take. A task that polls, or has work,
	// mostly keeps the CPU for 0.2 to 4 ms.
	disturbance = 100 * time.Microsecond

	// passing is how long a look and a system call take at most if nobody else runs.
	passing = 2 * time.Microsecond

	// turn is longer than all others take that poll and give way: some work between their looks.
	// It is shorter than the scheduler leaves the CPU to a task that computes, 1 to 4 ms.
	turn = time.Millisecond

	// So many long turns in a row mean that another task computes. Where there are many ranks, several
	// have work at a time more often.
	longTurns     = 2
	longTurnsMany = 4

	// quietTime is longer than others who want the CPU leave it to a thread that polls.
	quietTime = 16 * time.Millisecond

	// company is what others must have taken of quietTime for a thread to go on giving way: the kernel
	// interrupts a thread that is alone, too.
	company = quietTime / 8

	leastRest = 8 * time.Millisecond
	mostRest  = 512 * time.Millisecond // to find out that the CPU is wanted costs two or four turns of 2 to 4 ms
)

// NewCrowd returns what a thread knows at its start. If there are many, more than CPUs, it always
// gives way.
func NewCrowd(many bool) *Crowd {
	start := time.Now()
	return newCrowd(func() time.Duration { return time.Since(start) }, sys.Yield, many)
}

func newCrowd(clock func() time.Duration, yield func(), many bool) *Crowd {
	c := &Crowd{clock: clock, yield: yield, many: many, rest: leastRest}
	c.yields.Store(many)
	return c
}

// Looks is called when a wait begins that would make n looks. It returns how many it may make. No
// reading of an earlier wait is compared with one of this wait: what lies between is not polling.
func (c *Crowd) Looks(n int) int {
	if c == nil {
		return n
	}
	c.looks, c.last, c.worked = 0, 0, false // before the rest: its waits make one look each
	if until := c.until.Load(); until != 0 {
		now := c.clock()
		if now < time.Duration(until) {
			return 0
		}
		c.until.Store(0)
		c.calm, c.shared = 0, 0
	}
	return n
}

// GoOn is called after each look of a wait, and tells whether it may make another one.
func (c *Crowd) GoOn() bool {
	if c == nil {
		return true
	}
	switch {
	case c.worked:
		c.worked = false
		return true
	case c.until.Load() != 0: // this was the only look of a wait in a rest
		return false
	case c.yields.Load():
		return c.giveWay()
	}
	if c.looks++; c.looks%looksPerClock != 1 {
		return true
	}
	lap := c.lap()
	if lap > disturbance {
		c.yields.Store(true)
		c.shared, c.long = quietTime, 0
	}
	c.polled(lap)
	return true
}

// lap returns the time since the clock was read in this wait, 0 if it was not.
func (c *Crowd) lap() time.Duration {
	now := c.clock()
	last := c.last
	c.last = now
	if last == 0 {
		return 0
	}
	return now - last
}

// giveWay has others run, and tells whether they leave the CPU soon.
func (c *Crowd) giveWay() bool {
	if c.last == 0 {
		c.last = c.clock()
	}
	c.yield()
	took := c.lap()
	if took <= turn {
		c.long = 0
	} else if c.long++; c.long >= c.patience() {
		c.long = 0
		c.until.Store(int64(c.last + c.rest))
		c.rest = min(4*c.rest, mostRest)
		return false
	}
	if took > passing {
		c.shared += took
	}
	c.polled(took)
	return true
}

// patience is how many long turns in a row end in a rest.
func (c *Crowd) patience() int {
	if c.many {
		return longTurnsMany
	}
	return longTurns
}

// polled notes how long the thread has polled.
func (c *Crowd) polled(d time.Duration) {
	if c.calm += d; c.calm < quietTime {
		return
	}
	c.rest = max(c.rest/2, leastRest)
	if c.shared < company && !c.many {
		c.yields.Store(false)
	}
	c.calm, c.shared = 0, 0
}

// Worked is called where a look was not in vain: what it has done takes time, too.
func (c *Crowd) Worked() {
	if c != nil {
		c.looks, c.last, c.worked = 0, 0, true
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

// Shares tells whether the thread shares its CPU with others: it gives way, or rests.
func (c *Crowd) Shares() bool { return c != nil && (c.yields.Load() || c.Resting()) }

// GivesWay tells whether the thread is to have others run, and does not rest.
func (c *Crowd) GivesWay() bool { return c != nil && c.yields.Load() && !c.Resting() }
