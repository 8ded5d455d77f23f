package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/loggps/graph"
)

// A StuckError says that some operations can never complete, or that some messages are
// never received.
type StuckError struct {
	Time float64 // when the last thing happened
	// Cycle are operations that wait for one another in a circle: the partner of each
	// would come on a rank that waits in the next. Empty if there is no circle.
	Cycle []graph.ID
	// Partnerless are operations that have begun and that no other will ever match.
	Partnerless []graph.ID
	// Unreceived are the sends that have completed but whose messages are not received.
	Unreceived []graph.ID
	// Blocked are all operations that have begun and cannot complete, by rank.
	Blocked []graph.ID

	g *graph.Graph
}

func (e *StuckError) Error() string {
	var parts []string
	add := func(ids []graph.ID, format string, args ...any) {
		if len(ids) > 0 {
			parts = append(parts, "sim: "+fmt.Sprintf(format, args...)+e.list(ids))
		}
	}
	add(e.Cycle,
		"deadlock at %.0f ns: these wait for one another in a circle; let one of the ranks receive before it sends, "+
			"or use nonblocking calls:", e.Time)
	add(e.Partnerless, "no other rank has an operation that matches these; check peers, tags and numbers of messages:")
	add(e.Unreceived, "these messages are never received; add receives, or check peers and tags:")
	if len(parts) == 0 {
		add(e.Blocked, "these can never complete; check what they depend on:")
	}
	return strings.Join(parts, "\n")
}

func (e *StuckError) list(ids []graph.ID) string {
	const most = 10
	var b strings.Builder
	for _, id := range ids[:min(len(ids), most)] {
		b.WriteString("\n  " + e.g.Describe(id))
	}
	if len(ids) > most {
		fmt.Fprintf(&b, "\n  and %d more", len(ids)-most)
	}
	return b.String()
}

// stuck reports what has not completed when nothing more happens.
func (e *engine) stuck() error {
	s := &StuckError{Time: e.now, g: e.g, Blocked: e.blocked(), Unreceived: e.unreceived()}
	if len(s.Blocked) == 0 && len(s.Unreceived) == 0 {
		return nil
	}
	byRank := map[int32][]graph.ID{}
	for _, id := range s.Blocked {
		op := e.g.Op(id)
		switch {
		case op.Peer == graph.Any: // whoever may come is not known
		case e.partner(op):
			byRank[op.Rank] = append(byRank[op.Rank], id)
		default:
			s.Partnerless = append(s.Partnerless, id)
		}
	}
	s.Cycle = circle(e.g, byRank)
	return s
}

// blocked are the messages and receives that wait for their partner.
func (e *engine) blocked() []graph.ID {
	var ids []graph.ID
	if e.done == e.g.Len() {
		return nil
	}
	for r := range e.g.Ranks() {
		for id := e.g.Of(r).First; id < e.g.Of(r).End; id++ {
			if e.ops[id].status() == begun && e.g.Op(id).Kind != graph.Wait {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

func (e *engine) unreceived() []graph.ID {
	var ids []graph.ID
	for _, b := range e.match.buckets {
		for at := b.messages.head; at != 0; at = e.ops[at-1].link() {
			if e.ops[at-1].status() == done {
				ids = append(ids, graph.ID(at-1))
			}
		}
	}
	slices.Sort(ids)
	return ids
}

// partner tells whether the peer has an operation that matches and has not begun.
func (e *engine) partner(op *graph.Op) bool {
	span := e.g.Of(int(op.Peer))
	for id := span.First; id < span.End; id++ {
		other := e.g.Op(id)
		if e.ops[id].status() != waiting {
			continue
		}
		if op.Kind.Sends() && other.Kind.Receives() && fits(other, op) ||
			op.Kind.Receives() && other.Kind.Sends() && other.Peer == op.Rank && fits(op, other) {
			return true
		}
	}
	return false
}

// circle finds operations that wait for one another, given those of each rank that wait
// for an operation that their peer would begin later. It walks from rank to rank; a rank
// from which the walk comes back without a circle is not entered again.
func circle(g *graph.Graph, byRank map[int32][]graph.ID) []graph.ID {
	const (
		unseen = iota
		onPath
		finished
	)
	state := make([]uint8, g.Ranks())
	var path []graph.ID // the operation by which each rank on the path is left
	var visit func(rank int32) []graph.ID
	visit = func(rank int32) []graph.ID {
		state[rank] = onPath
		for _, id := range byRank[rank] {
			peer := g.Op(id).Peer
			path = append(path, id)
			switch state[peer] {
			case onPath:
				first := slices.IndexFunc(path, func(id graph.ID) bool { return g.Op(id).Rank == peer })
				return path[first:]
			case unseen:
				if found := visit(peer); found != nil {
					return found
				}
			}
			path = path[:len(path)-1]
		}
		state[rank] = finished
		return nil
	}
	for r := range int32(g.Ranks()) {
		if state[r] == unseen {
			if found := visit(r); found != nil {
				return found
			}
		}
	}
	return nil
}
