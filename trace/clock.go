package trace

// clock is what is known about the ticks of a node: the first pair and the last.
type clock struct {
	ticks, ns [2]uint64
	pairs     int
}

func (c *clock) add(ticks, ns uint64) {
	at := min(c.pairs, 1)
	c.ticks[at], c.ns[at] = ticks, ns
	c.pairs++
}

// reader returns the function from ticks to ns. tick is a guess of the length of a tick, for
// want of two pairs.
func (c *clock) reader(tick float64) func(int64) int64 {
	var from, at int64
	if c != nil && c.pairs > 0 {
		from, at = int64(c.ticks[0]), int64(c.ns[0])
	}
	if c != nil && c.pairs > 1 && c.ticks[1] > c.ticks[0] && c.ns[1] > c.ns[0] {
		tick = float64(c.ns[1]-c.ns[0]) / float64(c.ticks[1]-c.ticks[0])
	}
	return func(t int64) int64 { return at + int64(float64(t-from)*tick) }
}
