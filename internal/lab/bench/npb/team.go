package npb

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gopvas/gopvas/mpi"
)

// A team runs a kernel together: the ranks of a world (*mpi.Comm), which exchange
// messages, or goroutines of one process (*member), which share memory.
type team interface {
	Rank() int
	Size() int
	Barrier() error
}

// allreduce reduces the values of the team in place.
func allreduce[E any](t team, values []E, op *mpi.Op[E]) error {
	m, shares := t.(*member)
	if !shares {
		return mpi.Allreduce(t.(*mpi.Comm), nil, values, op)
	}
	parts := gather(m, slices.Clone(values))
	copy(values, parts[0])
	for _, part := range parts[1:] {
		if err := mpi.ReduceLocal(values, part, op); err != nil {
			return err
		}
	}
	return nil
}

// A crew is some goroutines that meet.
type crew struct {
	size    int
	looks   int           // before a goroutine sleeps
	arrived atomic.Int32  // at this barrier
	passed  atomic.Uint32 // barriers
	mu      sync.Mutex    // of next
	next    sync.Cond     // passed has grown
	shown   [2][]any      // by goroutine; of gather, which uses one and then the other
}

func newCrew(size int) *crew {
	c := &crew{size: size, looks: crewLooks, shown: [2][]any{make([]any, size), make([]any, size)}}
	c.next.L = &c.mu
	return c
}

// A member is one goroutine of a crew.
type member struct {
	*crew
	rank     int
	gathered int // how often
}

func (m *member) Rank() int { return m.rank }

func (c *crew) Size() int { return c.size }

// crewLooks is how often a goroutine looks before it sleeps: as a rank does, but for less than
// a millisecond, since it may not see that others want its CPU.
const crewLooks = 4096

// Barrier returns nil when all have called it.
func (c *crew) Barrier() error {
	before := c.passed.Load()
	if int(c.arrived.Add(1)) == c.size {
		c.arrived.Store(0)
		c.mu.Lock()
		c.passed.Add(1)
		c.mu.Unlock()
		c.next.Broadcast()
		return nil
	}
	for range c.looks {
		if c.passed.Load() != before {
			return nil
		}
		runtime.Gosched()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.passed.Load() == before {
		c.next.Wait()
	}
	return nil
}

// gather returns the value of each goroutine.
func gather[T any](m *member, value T) []T {
	shown := m.shown[m.gathered%2] // the other may still be read
	m.gathered++
	shown[m.rank] = value
	_ = m.Barrier() // never an error
	all := make([]T, len(shown))
	for i, v := range shown {
		all[i] = v.(T)
	}
	return all
}

// timed runs f by all of a team at once and returns the seconds of the slowest.
func timed(t team, f func() error) (float64, error) {
	if err := t.Barrier(); err != nil {
		return 0, err
	}
	start := time.Now()
	if err := f(); err != nil {
		return 0, err
	}
	longest := []float64{time.Since(start).Seconds()}
	err := allreduce(t, longest, mpi.Max[float64]())
	return longest[0], err
}
