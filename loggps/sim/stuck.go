package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/loggps/graph"
)

// A StuckError says that some operations can never complete, or some messages are never
// received.
type StuckError struct {
	Time float64 // when the last thing happened
	// Cycle are operations of ranks that wait for one another in a circle, each for the
	// rank of the next; empty if there is no circle.
	Cycle []graph.ID
	// Blocked are the operations that have begun and cannot complete, by rank.
	Blocked []graph.ID
	// Unreceived are the sends that have completed but whose messages nobody receives.
	Unreceived []graph.ID

	g *graph.Graph
}

func (e *StuckError) Error() string {
	var b strings.Builder
	switch {
	case len(e.Cycle) > 0:
		fmt.Fprintf(&b, "sim: deadlock at %.0f ns: ranks wait for one another in a circle; let one of them receive before it sends:", e.Time)
		e.list(&b, e.Cycle)
	case len(e.Blocked) > 0:
		b.WriteString("sim: operations wait for a partner that never comes; check peers, tags and numbers of messages:")
		e.list(&b, e.Blocked)
	}
	if len(e.Unreceived) > 0 && len(e.Cycle) == 0 {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		b.WriteString("sim: messages are never received; add receives, or check peers and tags:")
		e.list(&b, e.Unreceived)
	}
	return b.String()
}

func (e *StuckError) list(b *strings.Builder, ids []graph.ID) {
	const most = 10
	for _, id := range ids[:min(len(ids), most)] {
		b.WriteString("\n  " + e.g.Describe(id))
	}
	if len(ids) > most {
		fmt.Fprintf(b, "\n  and %d more", len(ids)-most)
	}
}

// stuck reports what has not completed when nothing more happens.
func (e *engine) stuck() error {
	s := &StuckError{Time: e.now, g: e.g}
	waitsFor := map[int32]graph.ID{} // by rank, the first operation that is blocked
	for r := range e.g.Ranks() {
		span := e.g.Of(r)
		for id := span.First; e.done < e.g.Len() && id < span.End; id++ {
			op := e.g.Op(id)
			if e.ops[id].status != begun || op.Kind == graph.Wait {
				continue
			}
			s.Blocked = append(s.Blocked, id)
			if _, ok := waitsFor[op.Rank]; !ok && op.Peer != graph.Any {
				waitsFor[op.Rank] = id
			}
		}
	}
	for _, b := range e.match.buckets {
		for at := b.messages.head; at != 0; at = e.ops[at-1].next {
			if e.ops[at-1].status == done {
				s.Unreceived = append(s.Unreceived, graph.ID(at-1))
			}
		}
	}
	if len(s.Blocked) == 0 && len(s.Unreceived) == 0 {
		return nil
	}
	slices.Sort(s.Unreceived)
	s.Cycle = circle(e.g, waitsFor)
	return s
}

// circle follows from rank to rank what the blocked operations wait for.
func circle(g *graph.Graph, waitsFor map[int32]graph.ID) []graph.ID {
	seen := map[int32]bool{}
	for r := range int32(g.Ranks()) {
		var path []graph.ID
		on := map[int32]int{}
		for at := r; !seen[at]; {
			id, ok := waitsFor[at]
			if !ok {
				break
			}
			on[at] = len(path)
			path = append(path, id)
			peer := g.Op(id).Peer
			if first, ok := on[peer]; ok {
				return path[first:]
			}
			at = peer
		}
		for at := range on {
			seen[at] = true
		}
	}
	return nil
}
