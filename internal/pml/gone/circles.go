package gone

import "sync"

// Among limits what AnySource means in a context to the ranks of a circle, some of which are of other worlds or jobs.
// The end of a rank outside the circle fails nothing there. A nil circle takes the limit away. An empty one is for
// ranks that are not known yet: no end fails anything there. Any goroutine may call it.
func (r *Ranks) Among(context uint32, circle []int32) { r.circles.set(context, circle) }

// circles are those of Among by context. They have a lock of their own, because tasks are called with the engine's: the
// end of a nonblocking call may make a communicator. A goroutine that holds the lock of circles takes no other.
type circles struct {
	mu    sync.Mutex
	known map[uint32][]int32
}

func (c *circles) set(context uint32, circle []int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if circle == nil {
		delete(c.known, context)
		return
	}
	if c.known == nil {
		c.known = map[uint32][]int32{}
	}
	c.known[context] = circle
}

func (c *circles) of(context uint32) (circle []int32, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	circle, known = c.known[context]
	return circle, known
}
