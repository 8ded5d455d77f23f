package message

import (
	"cmp"
	"slices"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
)

// mayBegin tells whether the graph may send its first messages.
//
// Invariant: the numbers of the graphs that are underway differ by less than the tag can tell apart. The tag has few
// bits of the number. Calls advance tasks in the order in which they were begun, and only calls begin graphs (Lone). So
// no graph begins before an earlier one. All members issue the same graphs in the same order, so they begin them in the
// same order. A channel of blocking graphs has one at a time, which is alone.
//
// The guards of a channel run one after the other, and a graph with a guard gets its number when its guard begins.
func (r *run) mayBegin() bool {
	c, s := r.channel, r.state
	if r.alone() {
		return true
	}
	if r.guarded {
		if s.guard != nil {
			return false
		}
		r.number = c.Issued()
	}
	tooFar := func(n uint32) bool { return int32(r.number-n) >= 1<<numberBits }
	if len(s.Flight) >= mostInFlight || slices.ContainsFunc(s.Flight, tooFar) {
		return false
	}
	if r.guarded {
		s.guard = r
		c.Next()
	}
	s.Flight = append(s.Flight, r.number)
	return true
}

// leaveFlight undoes what mayBegin has done.
func (r *run) leaveFlight() {
	s := r.state
	if r.guarded {
		r.passGuard()
	}
	if i := slices.Index(s.Flight, r.number); i >= 0 && !r.alone() {
		s.Flight = slices.Delete(s.Flight, i, i+1)
	}
}

// passGuard lets the next guard of the channel begin.
func (r *run) passGuard() {
	if r.guarded = false; r.state.guard == r {
		r.state.guard = nil
	}
}

// alone tells whether no other graph of the channel is underway.
func (r *run) alone() bool { return r.graph.Blocking && !r.graph.Shared }

// reset brings the nodes and the failure into the state before the issue.
func (r *run) reset() {
	r.call, r.guarded, r.failure = r.graph.Signature, r.gate != cad.Start, cad.Failure{}
	if f := cmp.Or(r.t.Failed, r.graph.Failed); f != nil {
		r.failure = *f
	}
	for n := range r.actions {
		r.left[n] = r.actions[n].before
	}
}
