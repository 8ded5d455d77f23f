package perfetto

import "github.com/gopvas/gopvas/trace"

// flow is one end of a message.
type flow struct {
	id       uint64
	received bool
}

// flows are the messages that a rank's calls have begun, or received.
type flows struct {
	rank      int
	byRequest map[uint32]*trace.Event // Sent or Received
	of        map[*trace.Event][]flow
}

func newFlows(rank int, r *trace.Rank, calls []*trace.Event) *flows {
	f := &flows{rank: rank, byRequest: map[uint32]*trace.Event{}, of: map[*trace.Event][]flow{}}
	for i := range r.Events {
		if e := &r.Events[i]; (e.Kind == trace.Sent || e.Kind == trace.Received) && e.Request != 0 {
			f.byRequest[e.Request] = e
		}
	}
	drawn := map[*trace.Event]bool{}
	for _, c := range calls {
		drawn[c] = true
	}
	var steps []flow   // of the next call
	var taken []uint32 // requests that were taken and whose wait has not been met
	for i := range r.Events {
		switch e := &r.Events[i]; {
		case drawn[e]:
			if list := f.call(e, steps, taken); len(list) > 0 {
				f.of[e] = list
			}
			steps, taken = nil, taken[:0]
		case e.Kind == trace.Taken:
			taken = append(taken, e.Request)
		case e.Flags&trace.Inside != 0:
			steps = f.add(steps, e)
		}
	}
	return f
}

// call adds the messages of a call to those of its steps.
func (f *flows) call(c *trace.Event, list []flow, taken []uint32) []flow {
	switch c.Kind {
	case trace.Send, trace.Recv:
		list = f.add(list, c)
	case trace.Isend, trace.Start:
		if e := f.byRequest[c.Request]; e != nil && e.Kind == trace.Sent {
			list = f.add(list, e)
		}
	case trace.Wait, trace.Test:
		taken = append(taken, c.Request)
	}
	for _, request := range taken {
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
