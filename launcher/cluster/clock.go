package cluster

import "time"

// The clocks of the nodes. The leader begins a round trip on the link of an agent at its time
// "begin". The agent reads its own clock at "there". The answer is back at the leader's time "end".
// The agent's clock is ahead by no more than there - begin, and by no less than there - end. All
// these bounds hold together as long as both clocks have the same speed. Crystals differ by some
// ten parts in a million. So the estimate begins as the middle of the bounds that the round trips
// before the start have in common. Later it moves as far as a new round trip demands, and no further.
const (
	clockRounds = 20          // round trips before the start, and in each later period
	clockPeriod = time.Second // in which an uncertainty of 0.1 ms outlasts any drift
)

// clockTime is a reading of the clock of an agent.
type clockTime struct {
	Begin int64 // of the leader's clock, in the question
	There int64
	end   int64 // of the leader's clock, when the answer came
}

// nodeClock is the leader's estimate of the clock of a node.
type nodeClock struct {
	low, high time.Duration // bounds by the round trips before the start
	ahead     time.Duration // estimate
	known     bool
	rounds    int // that are still to be made
}

// add takes a round trip.
func (c *nodeClock) add(t clockTime, starting bool) {
	low, high := time.Duration(t.There-t.end), time.Duration(t.There-t.Begin)
	switch {
	case !c.known:
		c.low, c.high, c.known = low, high, true
	case starting && low <= c.high && high >= c.low:
		c.low, c.high = max(c.low, low), min(c.high, high)
	}
	if starting {
		c.ahead = c.low + (c.high-c.low)/2
	}
	c.ahead = min(max(c.ahead, low), high)
}

// uncertainty is how far the estimate may be off.
func (c *nodeClock) uncertainty() time.Duration { return (c.high - c.low + 1) / 2 }
