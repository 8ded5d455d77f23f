package cad

import "slices"

// mayBegin tells whether the graph may send its first messages. The tag has few bits of the number,
// so the graphs that are underway have numbers close to one another. Tasks make progress in the
// order in which they were begun, so no graph begins before an earlier one. All members issue the
// same graphs in the same order, so the first one that is underway anywhere is so everywhere. (Of
// graphs that block, a channel has one at a time.)
func (r *messageRun) mayBegin() bool {
	c := r.channel
	if r.graph.Blocking {
		return true
	}
	tooFar := func(n uint32) bool { return int32(r.number-n) >= 1<<numberBits }
	if len(c.flight) >= ringSize || slices.ContainsFunc(c.flight, tooFar) {
		return false
	}
	c.flight = append(c.flight, r.number)
	return true
}

// leaveFlight undoes what mayBegin has done.
func (r *messageRun) leaveFlight() {
	c := r.channel
	if i := slices.Index(c.flight, r.number); i >= 0 && !r.graph.Blocking {
		c.flight = slices.Delete(c.flight, i, i+1)
	}
}
