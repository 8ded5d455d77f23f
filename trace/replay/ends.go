package replay

import (
	"cmp"
	"slices"

	"github.com/gopvas/gopvas/trace"
)

// message names a message of a job.
type message struct {
	from, to int32
	number   uint32
}

// ends are the messages of which one end is missing in the trace. The receiver may have ended
// without having received a message, as the one that frees a communicator may. A rank that was
// killed has lost its last event.
type ends struct {
	unsent     map[message]bool
	unreceived map[int32][]unreceived // by receiver

	// received are the times when messages were there whose senders had to wait for that, in a
	// step of a collective.
	received map[message]int64
}

// unreceived is a message that nobody has received.
type unreceived struct {
	message
	sent *trace.Event
}

// sending and receiving tell which end of which message an event is.
func sending(rank int, e *trace.Event) (message, bool) {
	return message{int32(rank), e.Peer, e.Message}, e.Message != 0 && (e.Kind == trace.Send || e.Kind == trace.Sent)
}

func receiving(rank int, e *trace.Event) (message, bool) {
	return message{e.Peer, int32(rank), e.Message}, e.Message != 0 && (e.Kind == trace.Recv || e.Kind == trace.Received)
}

// findEnds compares the ends of all messages.
func findEnds(t *trace.Trace) ends {
	n := ends{unsent: map[message]bool{}, unreceived: map[int32][]unreceived{}, received: map[message]int64{}}
	sent := map[message]*trace.Event{}
	for rank := range t.Ranks {
		for i := range t.Ranks[rank].Events {
			if m, ok := sending(rank, &t.Ranks[rank].Events[i]); ok {
				sent[m] = &t.Ranks[rank].Events[i]
			}
		}
	}
	for rank := range t.Ranks {
		for i := range t.Ranks[rank].Events {
			e := &t.Ranks[rank].Events[i]
			m, ok := receiving(rank, e)
			if !ok {
				continue
			}
			switch s := sent[m]; {
			case s == nil:
				n.unsent[m] = true
			case s.Flags&trace.Inside != 0 && s.Protocol() == trace.Rendezvous:
				n.received[m] = e.End
			}
			delete(sent, m)
		}
	}
	for m, e := range sent {
		n.unreceived[m.to] = append(n.unreceived[m.to], unreceived{m, e})
	}
	for _, list := range n.unreceived {
		slices.SortFunc(list, func(a, b unreceived) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.number, b.number)) })
	}
	return n
}
