package replay

import (
	"iter"
	"math"
	"slices"

	"github.com/gopvas/gopvas/trace"
)

// A Part is the ranks of a trace, and the time, that are looked at. Ranks that are left out have no events.
type Part struct {
	Ranks    []int // in order; nil: all
	From, To int64 // ns since all ranks were through Init; To 0: until the end
}

// Of returns the part of a trace, and how many messages have one end there and one that is left out. These take no time
// in a graph of it: nobody waits for what is left out.
//
// A rank enters the part as if it came out of Init, and leaves it as if to Finalize. What it does at the edge is cut
// off there. So that both ends of a message, and all members of a collective call, agree on what is there:
//   - An end of a message by a request counts only if the call that began the request is in the part.
//   - A collective call that is cut off is a call of one member, without its messages.
func (p *Part) Of(t *trace.Trace) (part *trace.Trace, lone int) {
	part = &trace.Trace{Meta: t.Meta, End: t.End, Ranks: make([]trace.Rank, len(t.Ranks))}
	c := cutter{math.MinInt64, math.MaxInt64, p.From > 0}
	if p.From > 0 || p.To > 0 || !p.isWhole(t) { // the time begins for some ranks when it does for all
		c.from = Zero(t) + p.From
		if p.To > 0 {
			c.to = Zero(t) + p.To
		}
	}
	for rank := range t.Ranks {
		r := &t.Ranks[rank]
		part.Ranks[rank] = trace.Rank{Contexts: r.Contexts, Sites: r.Sites, Code: r.Code}
		switch {
		case !p.has(rank):
		case c.cuts():
			part.Ranks[rank].Events = c.cut(rank, t.Events(rank))
		default:
			part.Ranks[rank].Events = t.Rank(rank).Events
		}
	}
	n, whole := findEnds(part), findHave(t)
	part.Cut = t.Cut
	for _, list := range n.unreceived {
		for _, u := range list {
			if whole.have.get(u.Message)&haveReceive != 0 {
				lone++
			}
		}
	}
	for rank := range part.Ranks {
		for i := range part.Ranks[rank].Events {
			e := &part.Ranks[rank].Events[i]
			if m, ok := e.Receives(rank); ok && n.unsent(m) && !whole.unsent(m) {
				lone++
			} else if m, ok := e.Sends(rank); ok && n.have.get(m)&haveReceive == 0 && c.cuts() && p.has(int(m.To)) {
				e.Message = 0 // else its receiver would take it at the end of the part (settle)
			}
		}
	}
	return part, lone
}

func (p *Part) has(rank int) bool { return p.Ranks == nil || slices.Contains(p.Ranks, rank) }

// isWhole tells whether no rank is left out.
func (p *Part) isWhole(t *trace.Trace) bool { return p.Ranks == nil || len(p.Ranks) == len(t.Ranks) }

// Duration is how long a job has taken, ns since all ranks were through Init.
func Duration(t *trace.Trace) int64 {
	last := int64(0)
	for rank := range t.Ranks {
		for e := range t.Events(rank) {
			last = max(last, e.End)
		}
	}
	return last - Zero(t)
}

// cutter takes the events of a time.
type cutter struct {
	from, to int64
	began    bool // there is a time before
}

// cuts tells whether the time is a part of the job's. Then the events of the part are its own.
func (c *cutter) cuts() bool { return c.from != math.MinInt64 }

// cut returns the events of a rank that are in the part, of all of its events.
func (c *cutter) cut(rank int, events iter.Seq[*trace.Event]) []trace.Event {
	edge := trace.Event{Kind: trace.Init, Start: c.from, End: c.from, Peer: trace.Any}
	list, begun := []trace.Event{edge}, map[uint32]bool{}
	last := c.from
	var cut []trace.Event // collective calls at an edge: two of a context at most
	for e := range events {
		last = max(last, e.End)
		if begins(e.Kind) && c.has(e) {
			begun[e.Request] = true
		}
		if e.Kind.Collective() && (e.Start < c.from || e.End > c.to) && e.Start < c.to && e.End >= c.from {
			cut = append(cut, *e)
		}
	}
	for in := range events {
		e := *in
		switch {
		case !c.has(&e) || e.Kind == trace.Init || e.Kind == trace.Finalize:
			continue
		case !e.Kind.Call() && e.Message != 0 && e.Request != 0 && e.Flags&trace.Inside == 0 && !begun[e.Request]:
			continue
		case e.Flags&trace.Inside != 0 && within(cut, &e):
			continue
		case e.Kind.Collective() && (e.Start < c.from || e.End > c.to):
			e.Context, e.Request = math.MaxUint32-uint32(rank), uint32(len(list))
		case e.Kind == trace.Begin && c.began:
			e.Context = math.MaxUint32 - uint32(rank) // the number of its call is not known: those before are cut off
		}
		e.Start, e.End = max(e.Start, c.from), min(e.End, c.to)
		list = append(list, e)
	}
	edge.Kind, edge.Start, edge.End = trace.Finalize, min(last, c.to), min(last, c.to)
	return slices.Clone(append(list, edge)) // without what is left of its capacity
}

// has tells whether some of an event is in the part.
func (c *cutter) has(e *trace.Event) bool {
	return e.Start < c.to && (e.End > c.from || e.Start >= c.from)
}

func begins(k trace.Kind) bool { return k == trace.Isend || k == trace.Irecv || k == trace.Start }

// within tells whether an event happened in one of some calls of its context.
func within(calls []trace.Event, e *trace.Event) bool {
	return slices.ContainsFunc(calls, func(c trace.Event) bool {
		return c.Context == e.Context && c.Start <= e.Start && e.Start <= c.End
	})
}
