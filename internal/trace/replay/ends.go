package replay

import (
	"cmp"
	"slices"

	"github.com/gopvas/gopvas/trace"
)

// ends are the messages of which one end is missing in the trace. The receiver may have ended
// without having received a message, as the one that frees a communicator may. A rank that was
// killed has lost its last event.
type ends struct {
	unsent     map[trace.Message]bool
	unreceived map[int32][]unreceived // by receiver

	// received are the times when messages were there whose senders had to wait for that, in a
	// step of a collective.
	received map[trace.Message]int64
}

// unreceived is a message that was not received.
type unreceived struct {
	trace.Message
	sent *trace.Event
}

// findEnds compares the ends of all messages.
func findEnds(t *trace.Trace) ends {
	n := ends{unsent: map[trace.Message]bool{}, unreceived: map[int32][]unreceived{},
		received: map[trace.Message]int64{}}
	sent := t.Sent()
	for rank := range t.Ranks {
		for i := range t.Ranks[rank].Events {
			e := &t.Ranks[rank].Events[i]
			m, ok := e.Receives(rank)
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
		n.unreceived[m.To] = append(n.unreceived[m.To], unreceived{m, e})
	}
	for _, list := range n.unreceived {
		slices.SortFunc(list, func(a, b unreceived) int {
			return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Number, b.Number))
		})
	}
	return n
}
