package replay

import (
	"slices"

	"github.com/gopvas/gopvas/loggps/graph"
	"github.com/gopvas/gopvas/trace"
)

// caller makes the calls of one rank.
type caller struct {
	*maker
	*thread
	me       int
	rank     *trace.Rank
	clock    clock
	messages map[uint32]*trace.Event // by request: Sent or Received
	begun    map[uint32]*trace.Event // by request: Begin
	open     map[uint32]graph.ID     // by request: its operation
	notes    map[uint32]bool         // requests of notes: see notes
	inside   []graph.ID              // sends within a collective, that it waits for
}

// thread is a thread, or goroutine, of a rank: it makes one call after another.
type thread struct {
	*graph.Calls
	at      int64        // end of the last call
	last    *trace.Event // the last call, nil before the first one
	lacks   int64        // by how much recording takes longer than the time since calls before: 0 or less
	stalled int64        // since then
	between
}

func (m *maker) rank(rank int) {
	r := m.trace.Rank(rank)
	c := &caller{
		maker: m, me: rank, rank: r, clock: newClock(r.Events),
		messages: map[uint32]*trace.Event{}, begun: map[uint32]*trace.Event{}, open: map[uint32]graph.ID{},
		notes: notes(r.Events),
	}
	for i := range r.Events {
		e := &r.Events[i]
		if (e.Kind == trace.Sent || e.Kind == trace.Received) && e.Request != 0 && c.exists(e) {
			c.messages[e.Request] = e
		}
	}
	c.threads(r.Events)
	c.settle()
}

// notes are the sends by which Post and Complete tell others of an epoch. No call waits for their receivers.
func notes(events []trace.Event) map[uint32]bool {
	list := map[uint32]bool{}
	var within *trace.Event
	for _, e := range slices.Backward(events) {
		switch {
		case e.Kind == trace.WinPost || e.Kind == trace.WinComplete:
			within = &e
		case e.Kind == trace.Isend && within != nil && e.Start >= within.Start && e.End <= within.End:
			list[e.Request] = true
		}
	}
	return list
}

// exists tells whether an event has a message that was sent.
func (c *caller) exists(e *trace.Event) bool {
	m, received := e.Receives(c.me)
	return e.Message != 0 && !(received && c.ends.unsent(m))
}

// item makes the operations of an event and of what happened within it.
func (c *caller) item(it *item) {
	switch {
	case it.Kind == trace.Stall:
		c.stalled += it.Duration()
		return
	case !it.Kind.Call():
		c.point(it.Event)
		return
	}
	c.computed(it.Start, it.Event)
	c.at, c.stalled, c.last = it.End, it.stalledBehind(it.End), it.Event
	c.made(it)
}

// made makes the operations of a call.
func (c *caller) made(it *item) {
	c.Site, c.Tag = c.place(c.rank, it.Event), 0
	switch {
	case it.Kind.Collective():
		c.collective(it)
	default:
		c.enter(it)
		for i := range it.within {
			if it.within[i].Kind != trace.Taken || !takes[it.Kind] {
				c.step(it.within[i].Event)
				c.point(it.within[i].Event)
			}
		}
		c.call(it)
		c.leave(it)
	}
}

// computed makes the computation before a time at which there is a call. What recording takes varies, and estimated
// times are too late as often as too early: what one gap has too little, the next ones have too much.
func (c *caller) computed(until int64, next *trace.Event) {
	gap := c.lacks + c.clock.computed(c.at, until) - c.stalled - c.recorded(c.last, next)
	c.lacks = 0
	switch {
	case next.Kind == trace.Init || c.last == nil && c.CPU == 0:
	case gap > 0:
		c.Site = 0
		c.Calc(gap)
	default:
		c.lacks = max(gap, -mostLack)
	}
}

// mostLack bounds what is taken from later computations, ns: a short message's time at most.
const mostLack = 1000

// point makes the operation of a step of a nonblocking collective.
func (c *caller) point(e *trace.Event) {
	switch {
	case e.Kind == trace.Taken:
		c.wait([]uint32{e.Request})
	case e.Flags&trace.Inside == 0 || c.options.Expand || !c.exists(e):
	case e.Kind == trace.Sent:
		c.inside = append(c.inside, c.beginMessage(e))
	case e.Kind == trace.Received:
		c.Tag = tag(e)
		c.Recv(int64(e.Bytes), int(e.Peer))
	}
	if e.Kind == trace.Sent || e.Kind == trace.Received {
		c.Tag = 0
	}
}

// tag is that of a message: no other one of the same two ranks has it.
func tag(e *trace.Event) int32 { return tagOf(e.Message) }

func tagOf(message uint32) int32 { return int32(message & (1<<30 - 1)) }

// call makes the operation of a call that is no collective one.
func (c *caller) call(it *item) {
	e := it.Event
	switch e.Kind {
	case trace.Send:
		if c.exists(e) {
			c.Tag = tag(e)
			c.Send(int64(e.Bytes), int(e.Peer))
		}
	case trace.Recv:
		if c.exists(e) {
			c.Tag = tag(e)
			c.Recv(int64(e.Bytes), int(e.Peer))
		}
	case trace.Isend, trace.Irecv, trace.Start:
		c.begin(e.Request)
	case trace.Begin:
		c.begun[e.Request] = e
	case trace.Wait, trace.Test:
		c.wait(append(taken(it), e.Request))
	case trace.WaitAll, trace.WaitAny, trace.Finalize:
		c.wait(taken(it))
	}
}

// takes are the calls that take results of requests.
var takes = map[trace.Kind]bool{trace.Wait: true, trace.Test: true, trace.WaitAll: true,
	trace.WaitAny: true, trace.Finalize: true}

// taken returns the requests whose results a wait has taken.
func taken(it *item) (list []uint32) {
	for i := range it.within {
		if it.within[i].Kind == trace.Taken {
			list = append(list, it.within[i].Request)
		}
	}
	return list
}

// begin begins the operation of a request. A request without a message is one with no rank, or
// was cancelled.
func (c *caller) begin(request uint32) {
	if e := c.messages[request]; e != nil {
		c.open[request] = c.beginMessage(e)
	}
}

// beginMessage begins the operation of one end of a message.
func (c *caller) beginMessage(e *trace.Event) graph.ID {
	c.Tag = tag(e)
	if _, sends := e.Sends(c.me); sends {
		return c.Isend(int64(e.Bytes), int(e.Peer))
	}
	return c.Irecv(int64(e.Bytes), int(e.Peer))
}

// wait waits for requests.
func (c *caller) wait(requests []uint32) {
	var ops []graph.ID
	for _, r := range requests {
		if id, ok := c.open[r]; ok && !c.notes[r] {
			delete(c.open, r)
			ops = append(ops, id)
		}
		if e := c.begun[r]; e != nil {
			delete(c.begun, r)
			ops = append(ops, c.inside...)
			c.inside = nil
		}
	}
	if len(ops) > 0 {
		c.Tag = 0
		c.Wait(ops...)
	}
}

// settle waits for what the program has not waited for, and takes what it has not received: it
// was no matter of its time.
func (c *caller) settle() {
	c.Site, c.Tag = 0, 0
	for _, m := range c.ends.unreceived[int32(c.me)] {
		if c.measured[m.Message] {
			continue
		}
		c.Tag = tagOf(m.Number)
		c.Irecv(int64(m.bytes), int(m.From))
	}
	ops := c.inside
	for _, id := range c.open {
		ops = append(ops, id)
	}
	if len(ops) > 0 {
		c.Tag = 0
		c.Wait(ops...)
	}
}
