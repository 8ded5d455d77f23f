package protocol

// patience is the number of probes without an answer after which the peer counts as silent and is asked by Hello.
const patience = 5

// mostBackoff is the largest power of two by which the time to the next probe grows.
const mostBackoff = 10

// contact is whether a peer answers, and how often it is asked.
type contact struct {
	heard      Time // last packet from the peer
	unanswered int  // probes since then
	probed     Time // last probe that counted
	backoff    uint8
}

// silent tells whether the peer counts as silent.
func (c *contact) silent() bool { return c.unanswered >= patience }

// ask counts a question, and tells whether the peer counts as silent from now on.
func (c *contact) ask() bool {
	c.unanswered++
	return c.unanswered == patience
}

// hear notes a packet, and tells whether the peer was silent.
func (c *contact) hear(now Time) bool {
	was := c.silent()
	c.heard, c.unanswered = now, 0
	return was
}

// gap is the time to the next probe: least, or longer after probes in vain.
func (c *contact) gap(least Time) Time { return min(least<<min(c.backoff, mostBackoff), maxProbe) }

// probe counts a probe, unless another one has come less than a gap before.
func (c *contact) probe(now, gap Time) bool {
	if now-c.probed < gap {
		return false
	}
	c.probed, c.backoff = now, min(c.backoff+1, mostBackoff)
	return true
}
