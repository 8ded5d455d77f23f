package perfetto

import "github.com/gopvas/gopvas/trace"

// flow is one end of a message.
type flow struct {
	id       uint64
	received bool
}

// flows finds the messages that a rank's calls have begun, or received.
type flows struct {
	rank      int
	events    []trace.Event
	next      int                     // event from which on the steps of the next call are
	byRequest map[uint32]*trace.Event // Sent or Received
	taken     []uint32                // requests that were taken and whose wait has not been met
}

func newFlows(rank int, r *trace.Rank) *flows {
	f := &flows{rank: rank, events: r.Events, byRequest: map[uint32]*trace.Event{}}
	for i := range f.events {
		if e := &f.events[i]; (e.Kind == trace.Sent || e.Kind == trace.Received) && e.Request != 0 {
			f.byRequest[e.Request] = e
		}
	}
	return f
}

// of returns the messages of a call. It is asked for the calls in their order.
func (f *flows) of(c *trace.Event) (list []flow) {
	f.taken = f.taken[:0]
	for ; f.next < len(f.events) && &f.events[f.next] != c; f.next++ {
		switch e := &f.events[f.next]; {
		case e.Kind == trace.Taken:
			f.taken = append(f.taken, e.Request)
		case e.Flags&trace.Inside != 0:
			list = f.add(list, e)
		}
	}
	switch c.Kind {
	case trace.Send, trace.Recv:
		list = f.add(list, c)
	case trace.Isend, trace.Start:
		if e := f.byRequest[c.Request]; e != nil && e.Kind == trace.Sent {
			list = f.add(list, e)
		}
	case trace.Wait, trace.Test:
		f.taken = append(f.taken, c.Request)
	}
	for _, request := range f.taken {
		if e := f.byRequest[request]; e != nil && e.Kind == trace.Received {
			list = f.add(list, e)
		}
	}
	return list
}

// add adds the message of an event.
func (f *flows) add(list []flow, e *trace.Event) []flow {
	if e.Message == 0 {
		return list
	}
	received := e.Kind == trace.Recv || e.Kind == trace.Received
	from, to := f.rank, int(e.Peer)
	if received {
		from, to = to, from
	}
	return append(list, flow{id: uint64(from)<<48 | uint64(to)<<32 | uint64(e.Message), received: received})
}
