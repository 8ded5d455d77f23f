package sim

import "math"

// An agenda holds the events to come. Many of them are added in order: an event that is due
// a fixed time from now comes behind the last one that was. So there are some runs, each
// in order, and an event is added to the one whose last is closest before it; what fits
// nowhere goes to a heap. The next event is the first of the first of all.
type agenda struct {
	heads [numRuns + 1]event // the first of each run, then of the heap; none: never
	tails [numRuns]float64   // the time of the last of each run; empty: before all times
	runs  [numRuns]sorted    // what is behind the first
	heap  eventHeap
}

const numRuns = 3

// never comes after all events.
var never = event{math.Inf(1), math.MaxUint64}

// sorted is events in order, without the first.
type sorted struct {
	events []event
	next   int // the first that has not been taken
}

func newAgenda() *agenda {
	a := &agenda{}
	for i := range a.heads {
		a.heads[i] = never
	}
	for i := range a.tails {
		a.tails[i] = -1
	}
	return a
}

// add adds an event with the largest number so far.
func (a *agenda) add(ev event) {
	best, closest := -1, -2.0
	for i, t := range a.tails {
		if t <= ev.t && t > closest {
			best, closest = i, t
		}
	}
	a.put(ev, best)
}

// addAgain adds an event that has an old number: of those at the same time it need not be
// the last.
func (a *agenda) addAgain(ev event) {
	best, closest := -1, -2.0
	for i, t := range a.tails {
		if t < ev.t && t > closest {
			best, closest = i, t
		}
	}
	a.put(ev, best)
}

func (a *agenda) put(ev event, i int) {
	if i < 0 {
		a.heap.push(ev)
		a.heads[numRuns] = a.heap[0]
		return
	}
	if a.tails[i] < 0 {
		a.heads[i] = ev
	} else {
		a.runs[i].append(ev)
	}
	a.tails[i] = ev.t
}

// first is the run, or the heap, with the next event.
func (a *agenda) first() int {
	h := &a.heads
	i, j := less(&h[1], &h[0]), 2+less(&h[3], &h[2])
	return (i + (j-i)*less(&h[j&3], &h[i&3])) & 3
}

// take removes the next event and returns it; if there is none, never.
func (a *agenda) take() event {
	i := a.first()
	ev := a.heads[i]
	switch {
	case i < numRuns:
		r := &a.runs[i]
		if r.next < len(r.events) {
			a.heads[i] = r.events[r.next]
			r.next++
		} else {
			a.heads[i], a.tails[i] = never, -1
		}
	case len(a.heap) > 0:
		a.heap.pop()
		a.heads[i] = never
		if len(a.heap) > 0 {
			a.heads[i] = a.heap[0]
		}
	}
	return ev
}

// append adds an event; before it lets the run grow, it uses the place of those taken.
func (r *sorted) append(ev event) {
	switch {
	case r.next == len(r.events):
		r.events, r.next = r.events[:0], 0
	case len(r.events) == cap(r.events) && r.next > len(r.events)/2:
		n := copy(r.events, r.events[r.next:])
		r.events, r.next = r.events[:n], 0
	}
	r.events = append(r.events, ev)
}
