package replay

import (
	"cmp"
	"slices"

	"github.com/gopvas/gopvas/loggps/graph"
	"github.com/gopvas/gopvas/trace"
)

// Calls that were made together. Goroutines, or threads, of a rank may be in calls at a time. A graph of one call after
// another would then have calls wait for what only a later one brings. So a blocking send or receive becomes a
// nonblocking one when it began, and a wait when it ended. All else that ended with a wait takes place when it ended. The
// operations of a rank are in the order of these times, in which they happened in the job.
//
// Who computes meanwhile is not recorded. A rank is taken to compute as long as fewer of its calls are underway than there
// ever were: a listener that receives all the time is no computation, and does not hide that of others.

// moment is the begin of an item, its end, or all of it.
type moment struct {
	*item
	at   int64
	part part
}

type part uint8

const (
	whole part = iota
	begins
	ended
)

// estimateError bounds how much too late the end of a call may be that is an estimate.
const estimateError = 20_000 // ns

// end is when a call had ended at the latest.
func (it *item) end() int64 {
	if it.Flags&trace.Estimated != 0 {
		return max(it.Start, it.End-estimateError)
	}
	return it.End
}

// findTogether returns the items that were underway with another one, nil if there is none.
func findTogether(items []item) (together map[*item]bool) {
	var calls []*item
	for i := range items {
		if items[i].Kind.Call() {
			calls = append(calls, &items[i])
		}
	}
	byStart := func(a, b *item) int { return cmp.Compare(a.Start, b.Start) }
	if !slices.IsSortedFunc(calls, byStart) {
		slices.SortStableFunc(calls, byStart)
	}
	var longest *item // of those before, the one that ends last
	for _, it := range calls {
		if longest != nil && it.Start < longest.end() {
			if together == nil {
				together = map[*item]bool{}
			}
			together[longest], together[it] = true, true
		}
		if longest == nil || it.end() > longest.end() {
			longest = it
		}
	}
	return together
}

// moments are those of all items in the order of time, and how many calls are underway at a time, at most.
func moments(items []item, together map[*item]bool) (list []moment, most int) {
	for i := range items {
		it := &items[i]
		if together[it] {
			list = append(list, moment{it, it.Start, begins}, moment{it, it.End, ended})
		} else {
			list = append(list, moment{it, it.Start, whole})
		}
	}
	slices.SortStableFunc(list, func(a, b moment) int { return cmp.Compare(a.at, b.at) })
	underway := 0
	for _, m := range list {
		underway += m.opens()
		most = max(most, underway)
	}
	return list, most
}

// opens is by how many more calls are underway.
func (m *moment) opens() int {
	switch m.part {
	case begins:
		return 1
	case ended:
		return -1
	}
	return 0
}

// together makes the operations of items of which some were underway together.
func (c *caller) together(items []item, together map[*item]bool) {
	list, most := moments(items, together)
	underway, begun := 0, map[*item]graph.ID{}
	for i := range list {
		m := &list[i]
		if m.part == whole && !m.Kind.Call() {
			c.item(m.item)
			continue
		}
		if underway < most {
			c.computed(m.at, m.Event)
		}
		underway += m.opens()
		c.at, c.last, c.stalled = m.at, m.Event, 0
		id, waits := begun[m.item]
		switch {
		case m.part == whole:
			c.at, c.stalled = m.End, m.stalledBehind(m.End)
			c.made(m.item)
		case m.part == begins && (m.Kind == trace.Send || m.Kind == trace.Recv) && c.exists(m.Event):
			c.Site = c.site(c.rank, m.Event)
			begun[m.item] = c.beginMessage(m.Event)
		case m.part == ended && waits:
			c.Site, c.Tag = c.site(c.rank, m.Event), 0
			c.Wait(id)
		case (m.part == begins) == nonblocking[m.Kind]:
			c.made(m.item)
		}
	}
}

// nonblocking are the calls that take place when they begin.
var nonblocking = map[trace.Kind]bool{trace.Isend: true, trace.Irecv: true, trace.Start: true, trace.Begin: true}
