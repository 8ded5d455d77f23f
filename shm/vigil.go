package shm

import "time"

// Vigil is the last stage before a sleep of a thread that has a CPU for itself: it looks for 10 ms more,
// as long as nobody else wants the CPU. To wake a thread takes 5 us, on a virtual machine 40, which is
// less than 1 % of that time. So ranks that wait milliseconds for one another, because one of them has more to
// compute, answer as if they had never slept.
//
// The thread reads the clock after every looksPerReading looks. A longer time than these take was taken by
// another task, or by work that a look has done (Worked). The thread then sleeps at once and rests: until the rest is
// over it skips the vigil. The rest grows fourfold each time, up to mostRest, and halves with each vigil that nobody
// disturbs.
//
// A nil Vigil never looks.
type Vigil struct {
	clock  func() time.Duration
	until  time.Duration // end of the rest
	rest   time.Duration // how long the last one was
	worked bool
}

const (
	vigilTime       = 10 * time.Millisecond
	looksPerReading = 64
)

// NewVigil returns that of a thread that was not disturbed yet.
func NewVigil() *Vigil {
	start := time.Now()
	return &Vigil{clock: func() time.Duration { return time.Since(start) }}
}

// Look asks over again and again, and returns true as soon as it does. It returns false when it is time to sleep.
func (v *Vigil) Look(over func() bool) bool {
	if v == nil {
		return false
	}
	now := v.clock()
	if now < v.until {
		return false
	}
	came := false
	for end := now + vigilTime; now < end && !came; {
		v.worked = false
		came = Look(looksPerReading, over)
		last := now
		if now = v.clock(); now-last > disturbance && !v.worked && !came {
			v.rest = min(max(4*v.rest, leastRest), mostRest)
			v.until = now + v.rest
			return false
		}
	}
	v.rest /= 2
	return came
}

// Worked is called by a look that was not in vain, and so may have taken long.
func (v *Vigil) Worked() {
	if v != nil {
		v.worked = true
	}
}
