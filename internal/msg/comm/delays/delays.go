package delays

import (
	"math/rand/v2"
	"sync"
	"time"
)

// longest is the bound of the delays of the slowest ranks, as a power of two of microseconds.
const longest = 11

// Delays are those of a rank. Any goroutine may use them; then their order is that of the calls.
type Delays struct {
	Wait  func(time.Duration) // time.Sleep, but in tests
	bound int64               // in nanoseconds

	mu     sync.Mutex
	random *rand.Rand
}

// New returns the delays of a rank. Its bound is drawn first: so in each run some ranks are slow, and others fast.
func New(seed uint64, rank int) *Delays {
	random := rand.New(rand.NewPCG(seed, uint64(rank)))
	return &Delays{Wait: time.Sleep, random: random, bound: int64(time.Microsecond) << random.IntN(longest+1)}
}

// Pause waits before every other call, on average. The nil Delays do not wait.
func (d *Delays) Pause() {
	if d == nil {
		return
	}
	if t := d.next(); t > 0 {
		d.Wait(t)
	}
}

// next draws a delay.
func (d *Delays) next() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return time.Duration(max(d.random.Int64N(2*d.bound)-d.bound, 0))
}
