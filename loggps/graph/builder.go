package graph

import (
	"errors"
	"fmt"
	"slices"
)

// A Builder makes a graph, one rank after the other. The first error stays and is what
// Graph returns.
type Builder struct {
	g     Graph
	rank  int // that is being built, or -1
	edges []edge
	seen  []bool
	err   error
}

// edge is a dependency of the rank that is being built: on runs after of.
type edge struct {
	of, on ID
	dep    Dep
}

// NewBuilder begins the graph of a number of ranks.
func NewBuilder(ranks int) *Builder {
	b := &Builder{rank: -1}
	if ranks < 1 || ranks > MaxRanks {
		b.fail(fmt.Errorf("graph: build: %d ranks; want 1 to %d", ranks, MaxRanks))
		return b
	}
	b.g.ranks = make([]Span, ranks)
	b.g.dependents, b.g.wildcards = make([][]Dependent, ranks), make([]bool, ranks)
	b.seen = make([]bool, ranks)
	b.g.cpus, b.g.nics = 1, 1
	return b
}

// Name names the graph in messages.
func (b *Builder) Name(name string) { b.g.Name = name }

// Err is the first error.
func (b *Builder) Err() error { return b.err }

func (b *Builder) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// Rank begins a rank; those before it are complete. A rank that is never begun does
// nothing.
func (b *Builder) Rank(rank int) {
	if b.err != nil {
		return
	}
	b.finishRank()
	switch {
	case rank < 0 || rank >= len(b.g.ranks):
		b.fail(fmt.Errorf("graph: begin rank %d: there are %d ranks, from 0 on", rank, len(b.g.ranks)))
		return
	case b.seen[rank]:
		b.fail(fmt.Errorf("graph: begin rank %d: it has been built already; add all its operations at once", rank))
		return
	}
	b.rank, b.seen[rank] = rank, true
	b.g.ranks[rank] = Span{ID(b.g.ops.count), ID(b.g.ops.count)}
}

// EndRank ends the rank that was begun last, which the next Rank does too.
func (b *Builder) EndRank() {
	b.finishRank()
	b.rank = -1
}

// Ranks is the number of ranks.
func (b *Builder) Ranks() int { return len(b.g.ranks) }

// Op returns an operation that has been added. The caller must not change it.
func (b *Builder) Op(id ID) *Op { return b.g.ops.at(id) }

// Add adds an operation to the rank that was begun last. Its Rank is filled in.
func (b *Builder) Add(op Op) ID {
	if b.err == nil {
		b.err = b.check(&op)
	}
	if b.err != nil {
		return 0
	}
	op.Rank = int32(b.rank)
	id := ID(b.g.ops.count)
	b.g.ops.add(op)
	b.g.ranks[b.rank].End = id + 1
	b.g.cpus = max(b.g.cpus, int(op.CPU)+1)
	b.g.nics = max(b.g.nics, int(op.NIC)+1)
	b.g.waits = b.g.waits || op.Kind == Wait
	if op.Kind.Receives() && (op.Peer == Any || op.Tag == Any) {
		b.g.wildcards[b.rank] = true
	}
	return id
}

// check reports an operation that cannot be.
func (b *Builder) check(op *Op) error {
	wild := op.Kind.Receives()
	message := wild || op.Kind.Sends()
	switch {
	case b.rank < 0:
		return errors.New("graph: add operation: no rank was begun; call Rank first")
	case b.g.ops.count >= MaxOps:
		return fmt.Errorf("graph: add operation: there are %d already, no graph has more: take a part of the program",
			MaxOps)
	case op.Kind > Wait:
		return fmt.Errorf("graph: rank %d: add operation: kind %d is unknown", b.rank, op.Kind)
	case op.Size < 0 || op.Size > MaxSize:
		return fmt.Errorf("graph: rank %d: %s of size %d: want 0 to 2^53", b.rank, op.Kind, op.Size)
	case message && (op.Peer >= int32(len(b.g.ranks)) || op.Peer < 0 && !(wild && op.Peer == Any)):
		return fmt.Errorf("graph: rank %d: %s: peer %d: there are %d ranks, from 0 on", b.rank, op.Kind,
			op.Peer, len(b.g.ranks))
	case message && op.Tag < 0 && !(wild && op.Tag == Any):
		return fmt.Errorf("graph: rank %d: %s: tag %d: want 0 or more", b.rank, op.Kind, op.Tag)
	}
	return nil
}

// Requires lets a start when b has completed.
func (b *Builder) Requires(a, on ID) { b.Depend(a, on, Requires) }

// Irequires lets a start when b has started.
func (b *Builder) Irequires(a, on ID) { b.Depend(a, on, Irequires) }

// Depend adds a dependency between two operations of the rank that was begun last.
func (b *Builder) Depend(a, on ID, dep Dep) {
	if b.err != nil {
		return
	}
	first := b.first()
	switch {
	case b.rank < 0 || a < first || on < first || int(a) >= b.g.ops.count || int(on) >= b.g.ops.count:
		b.fail(fmt.Errorf("graph: operation %d %s %d: both must be of the rank that was begun last, rank %d", a, dep,
			on, b.rank))
	case dep > Awaits:
		b.fail(fmt.Errorf("graph: operation %d depends on %d: kind %d of dependency is unknown", a, on, dep))
	case dep == Awaits && b.g.ops.at(a).Kind != Wait:
		b.fail(fmt.Errorf("graph: %s awaits another operation: only a wait can", b.g.ops.at(a)))
	case b.g.deps+len(b.edges) >= maxDeps:
		b.fail(fmt.Errorf("graph: add dependency: there are %d already, no graph has more", maxDeps))
	default:
		b.edges = append(b.edges, edge{on, a, dep})
	}
}

func (b *Builder) first() ID {
	if b.rank < 0 {
		return 0
	}
	return b.g.ranks[b.rank].First
}

// finishRank sorts the dependencies of the rank by the operation depended on, those by
// start first, and makes sure that no operation waits for itself.
func (b *Builder) finishRank() {
	if b.rank < 0 || b.err != nil {
		return
	}
	n := b.g.ops.count - int(b.first())
	counts := make([]uint32, 2*n+1) // by operation, those by start before the others
	slot := func(e edge) int { return 2*int(e.of-b.first()) + min(1, int(e.dep^Irequires)) }
	for _, e := range b.edges {
		counts[slot(e)+1]++
	}
	for i := range len(counts) - 1 {
		counts[i+1] += counts[i]
	}
	for i := range n {
		b.g.ops.at(b.first() + ID(i)).next = counts[2*i]
	}
	all := make([]Dependent, len(b.edges))
	b.g.dependents[b.rank], b.g.deps = all, b.g.deps+len(all)
	for _, e := range b.edges {
		at := &counts[slot(e)]
		all[*at] = Dependent(e.on)<<depBits | Dependent(e.dep)
		*at++
	}
	b.edges = b.edges[:0]
	if id, ok := b.cycle(); ok {
		b.fail(&CycleError{Op: id, What: b.g.Describe(id), Place: b.g.Place(id)})
	}
}

// A CycleError says that an operation depends on itself.
type CycleError struct {
	Op    ID
	What  string // the operation, for a person
	Place string
}

func (e *CycleError) Error() string {
	return fmt.Sprintf("graph: %s: it waits for itself through its dependencies; take one of them out", e.What)
}

// cycle finds an operation of the rank that depends on itself. It takes away what can
// run, again and again; of what is left, everything leads back to a cycle.
func (b *Builder) cycle() (ID, bool) {
	first := b.first()
	total := b.g.ops.count - int(first)
	b.g.ops.add(Op{Rank: -1})
	defer b.g.ops.drop()
	need := make([]uint32, total)
	for i := range need {
		for _, d := range b.g.Dependents(first + ID(i)) {
			need[d.ID()-first]++
		}
	}
	var free []ID
	for i, n := range need {
		if n == 0 {
			free = append(free, first+ID(i))
		}
	}
	done := 0
	for ; len(free) > 0; done++ {
		id := free[len(free)-1]
		free = free[:len(free)-1]
		for _, d := range b.g.Dependents(id) {
			if need[d.ID()-first]--; need[d.ID()-first] == 0 {
				free = append(free, d.ID())
			}
		}
	}
	if done == total {
		return 0, false
	}
	return b.onCycle(need), true
}

// onCycle finds the first operation that reaches itself, given how many dependencies each
// still has. What is left and is not on a cycle depends on one, so walking against the
// dependencies ends in a cycle.
func (b *Builder) onCycle(need []uint32) ID {
	first := b.first()
	before := make([]ID, len(need)) // one that this one waits for
	for i, n := range need {
		if n == 0 {
			continue
		}
		for _, d := range b.g.Dependents(first + ID(i)) {
			before[d.ID()-first] = ID(i)
		}
	}
	at := ID(slices.IndexFunc(need, func(n uint32) bool { return n > 0 }))
	for range need {
		at = before[at]
	}
	lowest := at
	for next := before[at]; next != at; next = before[next] {
		lowest = min(lowest, next)
	}
	return first + lowest
}

// Graph ends the building and returns the graph.
func (b *Builder) Graph() (*Graph, error) {
	b.finishRank()
	if b.err != nil {
		return nil, b.err
	}
	b.rank = -1
	b.g.ops.add(Op{Rank: -1})
	b.g.ops.fit()
	b.err = errors.New("graph: build: the graph is complete; begin another one with NewBuilder")
	g := b.g
	return &g, nil
}

// fitting returns a slice without much unused capacity.
func fitting[T any](s []T) []T {
	if cap(s)-len(s) > len(s)/16 {
		return append(make([]T, 0, len(s)), s...)
	}
	return s
}
