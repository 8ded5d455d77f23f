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
	have       byMessage[uint8]       // which ends are in the trace
	unreceived map[int32][]unreceived // by receiver

	// received are the times when messages were there whose senders had to wait for that, in a
	// step of a collective.
	received map[trace.Message]int64
}

// What is known of a message.
const (
	haveSend = 1 << iota
	haveReceive
	haveOffer // of a step of a collective: its sender waits
)

// unreceived is a message that was not received.
type unreceived struct {
	trace.Message
	bytes uint64
}

// findHave says which ends of messages are in a trace.
func findHave(t *trace.Trace) (n ends) {
	for rank := range t.Ranks {
		for e := range t.Events(rank) {
			if m, ok := e.Sends(rank); ok {
				have := n.have.at(m)
				if *have |= haveSend; e.Flags&trace.Inside != 0 && e.Protocol() == trace.Rendezvous {
					*have |= haveOffer
				}
			} else if m, ok := e.Receives(rank); ok {
				*n.have.at(m) |= haveReceive
			}
		}
	}
	return n
}

// findEnds compares the ends of all messages.
func findEnds(t *trace.Trace) ends {
	n := findHave(t)
	n.unreceived, n.received = map[int32][]unreceived{}, map[trace.Message]int64{}
	for rank := range t.Ranks {
		for e := range t.Events(rank) {
			if m, ok := e.Sends(rank); ok && n.have.get(m)&haveReceive == 0 {
				n.unreceived[m.To] = append(n.unreceived[m.To], unreceived{m, e.Bytes})
			} else if m, ok := e.Receives(rank); ok && n.have.get(m)&haveOffer != 0 {
				n.received[m] = e.End
			}
		}
	}
	for _, list := range n.unreceived {
		slices.SortFunc(list, func(a, b unreceived) int {
			return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Number, b.Number))
		})
	}
	return n
}

// unsent tells whether a message was received that is not in the trace of its sender.
func (n *ends) unsent(m trace.Message) bool { return n.have.get(m)&haveSend == 0 }
