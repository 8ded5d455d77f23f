package replay

import (
	"github.com/gopvas/gopvas/loggps/graph"
	"github.com/gopvas/gopvas/trace"
)

// between is what a rank has computed between the messages of a collective call: reductions,
// copies, and what the call itself costs. The time until a message has left is such a computation;
// the time until one has come is not, because the rank has waited for it. Neither is the time in
// which a long message has waited for its receiver.
//
// It is known only if ranks had a CPU each: otherwise a rank may have been without one. And it
// counts from when all ranks were through Init: before, a rank may wait until another is there.
type between struct {
	at   int64 // what is before has been accounted for
	seen bool  // a step of a collective, in this call

	stalled int64       // since at the rank has waited so long for space in its buffer
	stall   trace.Event // the last such wait
}

// enter begins a call.
func (c *caller) enter(it *item) { c.between = between{at: max(it.Start, c.ready)} }

// step is for what happens in the call, before its operation is made.
func (c *caller) step(e *trace.Event) {
	if e.Kind == trace.Stall {
		c.between.stalled += behind(e, c.between.at)
		c.between.stall = *e
	}
	if e.Flags&trace.Inside == 0 || !c.alone {
		return
	}
	c.seen = true
	switch e.Kind {
	case trace.Sent:
		c.computeUntil(e.Start)
		m, _ := e.Sends(c.me)
		c.between.since(max(e.Start, c.ends.received[m]))
	case trace.Received:
		if e.Start > c.between.at {
			c.between.since(e.Start)
		}
	}
}

// since accounts for what is before a time. A step is recorded after its time is read, so the stall
// before it in the trace may lie behind it.
func (b *between) since(at int64) { b.at, b.stalled = at, behind(&b.stall, at) }

// leave ends a call.
func (c *caller) leave(it *item) {
	if c.seen {
		c.computeUntil(it.End)
	}
}

func (c *caller) computeUntil(to int64) {
	b := &c.between
	if gap := to - b.at - (b.stalled - behind(&b.stall, to)) - c.recording; gap > 0 {
		c.Tag = graph.InCall
		c.Calc(gap)
		c.Tag = 0
	}
}
