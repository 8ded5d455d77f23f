package shared

import (
	"slices"
	"sync"
)

// A channel has places for some graphs, by the low bits of their numbers. One that finds its place
// taken waits in the queue of the channel, and all that are issued later behind it. So graphs become
// known to peers in the order of their numbers. All members issue the same graphs in the same order:
// a graph that waits holds up none that another member has underway. A place becomes free when this
// rank finds a graph complete, in its own calls; then it looks at the queue in the same calls.

// place is what graphs in one address space keep for a channel.
type place struct {
	mu    sync.Mutex // guards the rest
	own   *record    // this rank's, from the first issue on
	queue []*run     // graphs that wait for a place
}

// takeTurn gives the graph a place if it is the first in the queue and there is one.
func (r *run) takeTurn() bool {
	e, s := r.e, r.place
	s.mu.Lock()
	defer s.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	if s.queue[0] != r || r.record.ring[r.number%ringSize].Load() != 0 || len(e.slots) == 0 {
		return false
	}
	s.queue = slices.Delete(s.queue, 0, 1)
	r.queued, r.looks, r.gone = false, 0, 0
	r.occupy()
	return true
}

// leaveQueue is for a graph that is given up.
func (r *run) leaveQueue() {
	s := r.place
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = slices.DeleteFunc(s.queue, func(o *run) bool { return o == r })
	r.queued, r.wrong = false, true
}
