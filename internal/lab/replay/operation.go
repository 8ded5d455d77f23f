package replay

import (
	"math"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/lab/loggps/pattern"
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/graph"
	"github.com/gopvas/gopvas/trace"
)

// operation returns what a collective call takes, if that was measured for its algorithm and its
// number of members on one node. All members of a call get the same answer.
func (m *maker) operation(e *trace.Event, call *group) *loggps.Operation {
	names := m.trace.Meta.Algorithms
	if !m.alone || e.Kind == trace.Neighbor || call == nil || call.algorithm < 0 || int(call.algorithm) >= len(names) {
		return nil
	}
	if !m.oneNode(call.ranks) || rooted[e.Kind] && !slices.Contains(call.ranks, int(call.root)) {
		return nil
	}
	name := names[call.algorithm]
	i := slices.IndexFunc(m.options.Operations, func(o loggps.Operation) bool {
		return o.Name == name && o.Ranks == len(call.ranks)
	})
	if i < 0 {
		return nil
	}
	return &m.options.Operations[i]
}

// findMeasured finds the messages of calls that were measured as a whole.
func (m *maker) findMeasured() map[trace.Message]bool {
	if m.options.Operations == nil {
		return nil
	}
	measured := map[trace.Message]bool{}
	for rank := range m.trace.Ranks {
		items, _, _ := partsOf(m.trace.Rank(rank).Events)
		for i := range items {
			it := &items[i].item
			if !it.Kind.Collective() || m.operation(it.Event, m.groups[groupKey{it.Context, it.Request}]) == nil {
				continue
			}
			for k := range it.within {
				if sent, ok := it.within[k].Sends(rank); ok && it.within[k].Context == it.Context {
					measured[sent] = true
				}
			}
		}
	}
	return measured
}

// oneNode tells whether ranks ran on the same node, as those did whose calls were measured.
func (m *maker) oneNode(ranks []int) bool {
	nodes := m.trace.Meta.Nodes
	return nodes == nil || !slices.ContainsFunc(ranks, func(r int) bool { return nodes[r] != nodes[ranks[0]] })
}

// rooted are the calls in which one member has a part of its own.
var rooted = map[trace.Kind]bool{trace.Bcast: true, trace.Reduce: true, trace.Gather: true, trace.Scatter: true}

// inMemory are the algorithms by shared memory: all members wait for one another, whatever the call.
var inMemory = []string{"flat", "packed", "staged", "direct", "solo", "shared"}

// whole makes a collective call that was measured as a whole. By messages that cost nothing a member
// waits for those whose call it needs. Then it takes the time.
func (c *caller) whole(it *item, o *loggps.Operation, call *group) {
	for i := range it.within { // nonblocking operations that made progress meanwhile
		if w := it.within[i].Event; w.Context != it.Context {
			c.point(w)
		}
	}
	me, _ := slices.BinarySearch(call.ranks, c.me)
	root, _ := slices.BinarySearch(call.ranks, int(call.root))
	m := pattern.Member{Calls: c.Calls, Rank: me, Ranks: len(call.ranks), World: call.ranks}
	_, algorithm, _ := strings.Cut(o.Name, "=")
	c.Tag, c.NIC = collectiveTag(it.Event), graph.Free
	switch k := it.Kind; {
	case slices.Contains(inMemory, algorithm):
		together(m)
	case k == trace.Bcast || k == trace.Scatter:
		scatter(m, 0, root)
	case k == trace.Reduce || k == trace.Gather:
		gather(m, 0, root)
	case k == trace.Scan || k == trace.Exscan:
		chain(m, 0)
	default:
		together(m)
	}
	c.Tag, c.NIC = 0, 0
	c.timeOf(it, o)
}

// timeOf computes for as long as a collective call takes.
func (c *caller) timeOf(it *item, o *loggps.Operation) {
	ns := o.At(int64(it.Event.Bytes))
	if it.Event.Bytes == 0 && it.Kind != trace.Barrier {
		ns = 0 // the members know that there is nothing to do
	}
	if ns := int64(math.Round(ns)); ns > 0 {
		c.Tag = graph.InCall
		c.Calc(ns)
		c.Tag = 0
	}
}

// together makes all members wait for one another.
func together(m pattern.Member) {
	for d := 1; d < m.Ranks; d *= 2 {
		m.Send(0, m.World[(m.Rank+d)%m.Ranks])
		m.Recv(0, m.World[(m.Rank-d+m.Ranks)%m.Ranks])
	}
}
