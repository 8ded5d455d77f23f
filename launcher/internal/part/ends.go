package part

import (
	"slices"

	"github.com/gopvas/gopvas/internal/node/job"
)

// Ends are the ends of ranks that the leader has to handle, one after the other. In a job of several worlds a failure
// may concern its own world alone: then no rank of that world has a communicator with ranks of others. Each node knows
// this of its own ranks, so the leader asks all. Meanwhile the leader tells of no end, neither of this one nor of later
// ones: these may be its consequences. Nodes have numbers.
//
//	       doubtful           all have answered
//	Next -----------> Ask ----------------------> the end of a world, or of a rank as any other
//	  \-------------------------------------------^
type Ends struct {
	queue  []NodeEnd
	asked  []int // that have not said whether the world of the first one is linked
	linked bool
	ending map[int]bool // ranks whose ends are no failures any more
}

// A NodeEnd is that of a rank on a node.
type NodeEnd struct {
	Node int
	*RankEnd
}

// Add notes an end.
func (q *Ends) Add(node int, e *RankEnd) { q.queue = append(q.queue, NodeEnd{node, e}) }

// Next returns the end that is handled next; ok is false if there is none, or nodes are asked. ask tells that nodes are
// to be asked about it first: it is doubtful, and its world is not ending.
func (q *Ends) Next(doubtful func(*RankEnd) bool) (e NodeEnd, ask, ok bool) {
	if len(q.asked) > 0 || len(q.queue) == 0 {
		return e, false, false
	}
	e = q.queue[0]
	if !q.ending[e.Rank] && doubtful(e.RankEnd) {
		return e, true, true
	}
	q.queue = q.queue[1:]
	return e, false, true
}

// Ask notes that these nodes are asked whether they link the world of the end to others.
func (q *Ends) Ask(nodes []int) { q.asked, q.linked = slices.Clone(nodes), false }

// Answered takes the answer of a node; one that is lost links nothing. After the last one it returns the end, and
// whether it concerns its world alone.
func (q *Ends) Answered(node int, linked bool) (e NodeEnd, alone, ok bool) {
	i := slices.Index(q.asked, node)
	if i < 0 {
		return e, false, false
	}
	q.linked = q.linked || linked
	if q.asked = slices.Delete(q.asked, i, i+1); len(q.asked) > 0 {
		return e, false, false
	}
	e, q.queue = q.queue[0], q.queue[1:]
	return e, !q.linked, true
}

// EndWorld notes that the ends of a world's ranks concern no other world.
func (q *Ends) EndWorld(w job.World) {
	if q.ending == nil {
		q.ending = map[int]bool{}
	}
	for rank := w.First; rank < w.First+w.Size; rank++ {
		q.ending[rank] = true
	}
}

// Ending tells whether the end of a rank is no failure any more.
func (q *Ends) Ending(rank int) bool { return q.ending[rank] }
