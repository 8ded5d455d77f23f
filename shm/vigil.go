package shm

import (
	"time"

	"github.com/gopvas/gopvas/internal/sys"
)

// Vigil is the last stage before a sleep of a thread that has a CPU for itself: it looks for 10 ms more,
// as long as nobody else wants the CPU. To wake a thread takes 5 us, on a virtual machine 40, which is
// less than 1 % of that time. So ranks that wait milliseconds for one another, because one of them has more to
// compute, answer as if they had never slept.
//
// Others want the CPU if the thread has lost it for some time. It learns that in two ways:
//
//   - At its start, and before a vigil, it asks the kernel how long it has waited for a CPU since it asked before. That
//     counts what it has lost in shorter waits, too, and while the program computed.
//   - In a vigil it reads the clock after every looksPerReading looks. A longer time than these take was lost, or it
//     was work that a look has done (Worked).
//
// Then the thread rests: none of its waits makes more than one look before it sleeps, whatever the stage (Looks). A
// thread that sleeps gets the CPU when it is woken. One that looks uses its share up, and waits until the others have
// had theirs. The rest is restPerLoss times what was lost: to find out after it that others still want the CPU costs
// no more than that part of the time.
//
// A nil Vigil never looks.
type Vigil struct {
	clock func() time.Duration
	delay func() sys.RunDelay // of the calling thread
	alone func() bool         // Alone

	until  time.Duration // end of the rest
	rests  bool          // as of the last time that the clock was read
	asked  time.Duration // when the kernel was asked
	before sys.RunDelay  // what it said
	worked bool
}

const (
	vigilTime       = 10 * time.Millisecond
	looksPerReading = 64

	// askEvery is how long the kernel is not asked again, which takes 5 us.
	askEvery = 4 * time.Millisecond

	// A thread has lost its CPU if it has waited for leastLoss, and 1/lossShare of the time. It takes up to 50 us to
	// wake an idle CPU, which counts, too.
	leastLoss = time.Millisecond
	lossShare = 8

	restPerLoss = 32
	longestRest = 2 * time.Second
)

// NewVigil returns that of the calling thread.
func NewVigil() *Vigil {
	start := time.Now()
	return newVigil(func() time.Duration { return time.Since(start) }, sys.ReadRunDelay)
}

func newVigil(clock func() time.Duration, delay func() sys.RunDelay) *Vigil {
	v := &Vigil{clock: clock, delay: delay, alone: Alone, before: delay()}
	// The processes of a job start together, and may hold each other up.
	if lost := v.before.Waited; lost > 2*leastLoss && lost > v.before.Ran {
		v.rest(clock(), lost)
	}
	return v
}

// Look asks over again and again, and returns true as soon as it does. It returns false when it is time to sleep: at
// once in a rest, and where the process has other goroutines.
func (v *Vigil) Look(over func() bool) bool {
	if v.resting() || !v.alone() {
		return false
	}
	for now, end := v.clock(), v.clock()+vigilTime; now < end; {
		v.worked = false
		if Look(looksPerReading, over) {
			return true
		}
		last := now
		if now = v.clock(); now-last > disturbance && !v.worked {
			v.rest(now, now-last)
			return false
		}
	}
	return false
}

// resting tells whether the thread is to leave the CPU to others.
func (v *Vigil) resting() bool {
	now := v.clock()
	v.rests = now < v.until
	if v.rests || now-v.asked < askEvery {
		return v.rests
	}
	said, before, since := v.delay(), v.before, now-v.asked
	v.before, v.asked = said, now
	if lost := said.Waited - before.Waited; said.Thread == before.Thread && lost >= max(leastLoss, since/lossShare) {
		v.rest(now, lost)
	}
	return v.rests
}

func (v *Vigil) rest(now, lost time.Duration) {
	v.until, v.rests = now+min(restPerLoss*lost, longestRest), true
}

// Looks returns how many looks a wait may make that would make n: none in a rest.
func (v *Vigil) Looks(n int) int {
	if v != nil && v.rests {
		return 0
	}
	return n
}

// Worked is called by a look that was not in vain, and so may have taken long.
func (v *Vigil) Worked() {
	if v != nil {
		v.worked = true
	}
}
