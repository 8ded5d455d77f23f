package gone

import "sync"

// Among limits what AnySource means in a context to the ranks of a circle. The
// end of a rank outside the circle fails nothing there. A nil circle takes the limit away. An empty one is for
// ranks that are not known yet: no end fails anything there. Any goroutine may call it.
func (r *Ranks) Among(context uint32, circle []int32) { r.circles.set(context, circle) }

// A circle is the ranks that may send in a context. The caller's lock guards all but the ranks, which do not change.
type circle struct {
	ranks        []int32
	acknowledged []int32 // see Ranks.Acknowledge
	looks        uint64  // Ranks.looks when the rest was found out
	failed       int     // a rank that has failed and is not acknowledged, -1 if there is none
	deserted     int     // if all others are dead: one of them, else -1
}

// circles are those of Among by context. They have a lock of their own, because tasks are called with the engine's: the
// end of a nonblocking call may make a communicator. A goroutine that holds the lock of circles takes no other.
type circles struct {
	mu    sync.Mutex
	known map[uint32]*circle
}

func (c *circles) set(context uint32, ranks []int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ranks == nil {
		delete(c.known, context)
		return
	}
	if c.known == nil {
		c.known = map[uint32]*circle{}
	}
	c.known[context] = &circle{ranks: ranks, failed: -1, deserted: -1}
}

// of returns the circle of a context, nil if there is none.
func (c *circles) of(context uint32) *circle {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known[context]
}
