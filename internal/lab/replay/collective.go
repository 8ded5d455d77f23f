package replay

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gopvas/gopvas/internal/lab/loggps/pattern"
	"github.com/gopvas/gopvas/trace"
)

// groupKey names a collective call: the communicator, and the number of the call on it.
type groupKey struct {
	context, call uint32
}

// group is the ranks that have made a collective call, in the order of their numbers.
type group struct {
	ranks     []int
	came      []int64 // by member: when it called
	root      int32
	algorithm int32 // its number in the trace; -1: members do not say the same
}

// groups are those of all calls.
type groups map[groupKey]*group

func findGroups(t *trace.Trace) groups {
	g := groups{}
	for rank := range t.Ranks {
		for e := range t.Events(rank) {
			if e.Kind.Collective() {
				g.add(groupKey{e.Context, e.Request}, rank, e)
			}
		}
	}
	return g
}

// add adds a member's part of a call.
func (g groups) add(k groupKey, rank int, e *trace.Event) {
	call := g[k]
	if call == nil {
		call = &group{root: e.Peer, algorithm: e.Tag}
		g[k] = call
	}
	if n := len(call.ranks); n == 0 || call.ranks[n-1] != rank {
		call.ranks = append(call.ranks, rank)
		call.came = append(call.came, e.Start)
	}
	if call.algorithm != e.Tag || call.root != e.Peer {
		call.algorithm = -1
	}
}

// findSilent finds the calls in which some member had no messages: members on one node have met
// in its memory, and only some had messages to other nodes.
func findSilent(t *trace.Trace) map[groupKey]bool {
	silent := map[groupKey]bool{}
	if t.Meta.Nodes == nil {
		return silent
	}
	for rank := range t.Ranks {
		items, _, _ := partsOf(t.Rank(rank).Events)
		for i := range items {
			if it := &items[i].item; it.Kind.Collective() && !it.recorded() {
				silent[groupKey{it.Context, it.Request}] = true
			}
		}
	}
	return silent
}

// recorded tells whether this member's messages of a collective call are in the trace.
func (it *item) recorded() bool {
	return slices.ContainsFunc(it.within, func(w item) bool { return w.Flags&trace.Inside != 0 })
}

// algorithm adds the calls of a member to its program. The root is the member's number.
type algorithm func(m pattern.Member, bytes int64, root int)

// algorithms are those of collective calls that have no messages in the trace.
var algorithms = map[trace.Kind]algorithm{
	trace.Barrier:       func(m pattern.Member, _ int64, _ int) { m.Dissemination() },
	trace.Bcast:         pattern.Member.BinomialBcast,
	trace.Reduce:        pattern.Member.BinomialReduce,
	trace.Allreduce:     func(m pattern.Member, bytes int64, _ int) { m.RecursiveDoubling(bytes) },
	trace.ReduceScatter: reduceScatter,
	trace.Scan:          func(m pattern.Member, bytes int64, _ int) { chain(m, bytes) },
	trace.Exscan:        func(m pattern.Member, bytes int64, _ int) { chain(m, bytes) },
	trace.Gather:        gather,
	trace.Scatter:       scatter,
	trace.Allgather:     func(m pattern.Member, bytes int64, _ int) { m.RingAllgather(bytes) },
	trace.Alltoall:      func(m pattern.Member, bytes int64, _ int) { m.PairwiseAlltoall(bytes) },
}

func reduceScatter(m pattern.Member, bytes int64, _ int) {
	m.BinomialReduce(bytes, 0)
	scatter(m, bytes/int64(m.Ranks), 0)
}

// chain passes vectors from each member to the next.
func chain(m pattern.Member, bytes int64) {
	if m.Rank > 0 {
		m.Recv(bytes, m.World[m.Rank-1])
	}
	if m.Rank < m.Ranks-1 {
		m.Send(bytes, m.World[m.Rank+1])
	}
}

func gather(m pattern.Member, bytes int64, root int) {
	if m.Rank != root {
		m.Send(bytes, m.World[root])
		return
	}
	for i := range m.Ranks {
		if i != root {
			m.Recv(bytes, m.World[i])
		}
	}
}

func scatter(m pattern.Member, bytes int64, root int) {
	if m.Rank != root {
		m.Recv(bytes, m.World[root])
		return
	}
	for i := range m.Ranks {
		if i != root {
			m.Send(bytes, m.World[i])
		}
	}
}

// algorithms chooses the algorithms as the options want them.
func (m *maker) algorithms() error {
	m.expand = map[trace.Kind]algorithm{}
	kinds := map[string]trace.Kind{}
	for k, a := range algorithms {
		m.expand[k] = a
		kinds[k.String()] = k
	}
	for operation, name := range m.options.Algorithms {
		k, ok := kinds[operation]
		if !ok {
			names := make([]string, 0, len(kinds))
			for name := range kinds {
				names = append(names, name)
			}
			slices.Sort(names)
			return fmt.Errorf("replay: algorithm of %q: there are %v", operation, names)
		}
		f, err := pattern.Collective(name)
		if err != nil {
			return fmt.Errorf("replay: algorithm of %s: %w", operation, err)
		}
		m.expand[k] = func(m pattern.Member, bytes int64, _ int) { f(m, bytes) }
	}
	return nil
}

// tagCollective is where the tags of expanded collective calls begin: above those of all messages.
const tagCollective = 1 << 30

// collectiveTag is the tag of what a collective call becomes, beside its own messages.
func collectiveTag(e *trace.Event) int32 { return tagCollective | int32(e.Context&(1<<29-1)) }

// collective makes the operations of a collective call.
func (c *caller) collective(it *item) {
	key := groupKey{it.Context, it.Request}
	if o := c.operation(it.Event, c.groups[key]); o != nil {
		c.whole(it, o, c.groups[key])
		return
	}
	if it.Kind == trace.Neighbor && len(it.within) > 0 || it.recorded() && !c.options.Expand && !c.silent[key] {
		c.steps(it)
		return
	}
	members := c.groups[key].ranks
	run := c.expand[it.Kind]
	if len(members) < 2 || run == nil {
		return
	}
	me, _ := slices.BinarySearch(members, c.me)
	root, ok := slices.BinarySearch(members, int(it.Peer))
	if !ok {
		root = 0
	}
	c.Tag = collectiveTag(it.Event)
	run(pattern.Member{Calls: c.Calls, Rank: me, Ranks: len(members), World: members}, int64(it.Event.Bytes), root)
	c.Tag = 0
}

// steps makes the messages that a collective call was made of, in their order.
func (c *caller) steps(it *item) {
	others := c.inside // of nonblocking collectives
	c.inside = nil
	slices.SortStableFunc(it.within, func(a, b item) int { return cmp.Compare(a.Start, b.Start) })
	c.enter(it)
	for i := range it.within {
		w := &it.within[i]
		if w.Kind.Call() {
			c.call(w)
		} else {
			c.step(w.Event)
			c.point(w.Event)
		}
	}
	if len(c.inside) > 0 {
		c.Tag = 0
		c.Wait(c.inside...)
	}
	c.inside = others
	c.leave(it)
}

// needs tells whether a member of a collective call cannot go on before another one has called.
func needs(k trace.Kind, member, other, root int) bool {
	switch {
	case k == trace.Bcast || k == trace.Scatter:
		return other == root
	case k == trace.Reduce || k == trace.Gather:
		return member == root
	case k == trace.Scan || k == trace.Exscan:
		return other < member
	}
	return true
}
