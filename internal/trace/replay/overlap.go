package replay

import (
	"cmp"
	"slices"

	"github.com/gopvas/gopvas/loggps/graph"
	"github.com/gopvas/gopvas/trace"
)

// Calls that overlap. Goroutines, or threads, of a rank may be in calls at the same time. In a graph of one call after
// another some would then wait for what only a later one brings. So such a rank is made of what began and what ended,
// in the order of these times:
//
//   - A blocking send or receive begins as a nonblocking one, and ends with a wait.
//   - A collective call begins with messages to the members that need this one, and ends when those of the members that
//     this one needs have come. All of its members do the same, also where theirs does not overlap (apart). Which of
//     the messages that were recorded belong to it is not known for sure, so these do not count.
//   - Other calls take place when they ended.
//   - In the whole job nobody waits for a send if the wait had ended before the message was received. Which goroutine
//     would wait is not known.
//
// Such a graph has no deadlock, whatever the machine: each wait is for something that had happened before it ended in
// the job. So it does not tell either whether the program is correct only thanks to buffers.
//
// Who computes meanwhile is not recorded. A rank is taken to compute as long as fewer of its calls are underway than
// there ever were: a listener that receives all the time is no computation, and does not hide that of others.
//
// A call that begins and ends within one that is made of calls (trace.Kind.Compound) is taken for a part of it.

// findOverlaps finds the calls of a rank that were underway with another one; nil: there is none.
func findOverlaps(r *trace.Rank) (overlaps map[*trace.Event]bool) {
	var longest *trace.Event // of those before, the one that ends last
	for _, e := range r.Calls() {
		if longest != nil && e.Start < longest.OverlapEnd() {
			if overlaps == nil {
				overlaps = map[*trace.Event]bool{}
			}
			overlaps[longest], overlaps[e] = true, true
		}
		if longest == nil || e.OverlapEnd() > longest.OverlapEnd() {
			longest = e
		}
	}
	return overlaps
}

// findAllOverlaps finds those of all ranks, and the collective calls that some member made so.
func (m *maker) findAllOverlaps() {
	m.overlaps, m.apart = make([]map[*trace.Event]bool, len(m.trace.Ranks)), map[groupKey]bool{}
	for rank := range m.trace.Ranks {
		found := findOverlaps(&m.trace.Ranks[rank])
		if found == nil {
			continue
		}
		m.overlaps[rank], m.overlapping = found, append(m.overlapping, rank)
		for e := range found {
			if e.Kind.Collective() {
				m.apart[groupKey{e.Context, e.Request}] = true
			}
		}
	}
}

// moment is the beginning of a call, its end, or something else that happened.
type moment struct {
	*item
	at   int64
	part part
}

type part uint8

const (
	entire part = iota
	beginning
	ending
)

// moments are those of a rank in the order of time, and how many calls are underway at the same time, at most.
func (c *caller) moments(items []item) (list []moment, most int) {
	for i := range items {
		it := &items[i]
		if !c.overlaps[c.me][it.Event] {
			list = append(list, moment{it, it.Start, entire})
			continue
		}
		list = append(list, moment{it, it.Start, beginning})
		for k := range it.within {
			if w := &it.within[k]; w.Kind != trace.Taken || !takes[it.Kind] {
				list = append(list, moment{w, w.Start, entire})
			}
		}
		list = append(list, moment{it, it.End, ending})
	}
	slices.SortStableFunc(list, func(a, b moment) int { return cmp.Compare(a.at, b.at) })
	underway := 0
	for i := range list {
		underway += list[i].begun()
		most = max(most, underway)
	}
	return list, most
}

// begun is by how many more calls are underway.
func (m *moment) begun() int {
	switch m.part {
	case beginning:
		return 1
	case ending:
		return -1
	}
	return 0
}

// overlappingCalls makes the operations of a rank with calls that overlap.
func (c *caller) overlappingCalls(items []item) {
	list, most := c.moments(items)
	underway, begun := 0, map[*item]graph.ID{}
	for i := range list {
		m := &list[i]
		if !m.Kind.Call() {
			c.item(m.item)
			continue
		}
		if underway < most {
			c.computed(m.at, m.Event)
		}
		underway += m.begun()
		c.at, c.last, c.stalled = m.at, m.Event, 0
		c.Site, c.Tag = c.site(c.rank, m.Event), 0
		switch message := m.Kind == trace.Send || m.Kind == trace.Recv; {
		case m.part == entire:
			c.at, c.stalled = m.End, m.stalledBehind(m.End)
			c.made(m.item)
		case message && m.part == beginning:
			if c.exists(m.Event) {
				begun[m.item] = c.beginMessage(m.Event)
			}
		case message:
			if id, ok := begun[m.item]; ok {
				c.waitFor(m.Event, id)
			}
		case m.Kind.Collective() && m.part == beginning:
			c.sendApart(m.item)
		case m.Kind.Collective():
			c.receiveApart(m.item)
		case (m.part == beginning) == nonblocking[m.Kind]:
			c.call(m.item)
		}
	}
}

// nonblocking are the calls that do not wait.
var nonblocking = map[trace.Kind]bool{trace.Isend: true, trace.Irecv: true, trace.Start: true, trace.Begin: true}

// waitFor waits for the message of a blocking call, unless that is a send for which nobody waits.
func (c *caller) waitFor(e *trace.Event, id graph.ID) {
	if c.unawaited(e, e.End) {
		c.left = append(c.left, id)
		return
	}
	c.Tag = 0
	c.Wait(id)
}

// unawaited tells whether a message is a send for which nobody waits until the rank ends, although a wait for it ended
// at that time.
func (c *caller) unawaited(e *trace.Event, waited int64) bool {
	m, sends := e.Sends(c.me)
	if !sends || c.maker.overlapping == nil {
		return false
	}
	received, ok := c.ends.received[m]
	return !ok || waited < received || e.Flags&trace.Inside != 0
}

// sendApart sends to the members of a collective call that need this one.
func (c *caller) sendApart(it *item) {
	c.meeting[it.Context] = true
	c.eachApart(it, func(call *group, other int, bytes int64) {
		if needs(it.Kind, other, c.me, int(call.root)) {
			c.left = append(c.left, c.Isend(bytes, other))
		}
	})
}

// receiveApart receives from the members of a collective call that this one needs, and then takes the time of the call
// if that was measured.
func (c *caller) receiveApart(it *item) {
	c.eachApart(it, func(call *group, other int, bytes int64) {
		if needs(it.Kind, c.me, other, int(call.root)) {
			c.Recv(bytes, other)
		}
	})
	if o := c.operation(it.Event, c.groups[groupKey{it.Context, it.Request}]); o != nil {
		c.timeOf(it, o)
	}
	delete(c.meeting, it.Context)
}

// eachApart calls do for all other members of a collective call, and how long the messages between them are.
func (c *caller) eachApart(it *item, do func(call *group, other int, bytes int64)) {
	call, bytes := c.groups[groupKey{it.Context, it.Request}], int64(it.Bytes)
	c.Tag = collectiveTag(it.Event)
	if c.operation(it.Event, call) != nil {
		c.NIC, bytes = graph.Free, 0
	}
	for _, other := range call.ranks {
		if other != c.me {
			do(call, other, bytes)
		}
	}
	c.Tag, c.NIC = 0, 0
}

// needs tells whether a member of a collective call cannot go on before another one has called.
func needs(k trace.Kind, member, other, root int) bool {
	switch {
	case k == trace.Bcast || k == trace.Scatter:
		return other == root
	case k == trace.Reduce || k == trace.Gather:
		return member == root
	case k == trace.Scan || k == trace.Exscan:
		return other < member
	}
	return true
}
