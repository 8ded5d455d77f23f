package shared

import (
	"sync"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
)

// inlineBytes is the length up to which an executor executes a node that it makes ready, with
// the policy Share: to hand it over takes longer.
const inlineBytes = 8 << 10

// wakeBytes is how much an executor does itself with the policy Share before it wakes
// a rank for the rest: to wake takes some microseconds too.
const wakeBytes = 64 << 10

// ref is a node that is ready. The executor that holds the ref has to execute the node.
type ref struct {
	g *graph
	n *node
}

// executor is a thread of this rank that executes nodes, for a while. All that it
// makes ready and that it has to execute itself it does before it leaves.
type executor struct {
	e        *Engine
	helping  bool   // it takes the nodes that it hands over, if no other executor does
	offered  int    // nodes handed over since it came
	stranded int    // of them, those that no other executor was found for
	retained uint64 // bytes of nodes that it could have handed over
	stack    []ref

	nodes, foreign, bytes uint64
}

// enter and leave enclose all that a rank does for graphs: by it others learn that a rank that
// died was not executing a node.
func (e *Engine) enter(helping bool) *executor {
	e.share.Executing.Add(1)
	x := executors.Get().(*executor)
	x.e, x.helping, x.offered, x.stranded, x.retained = e, helping, 0, 0, 0
	return x
}

// executors are those that are not in use; their stacks have grown to what was needed.
var executors = sync.Pool{New: func() any { return &executor{stack: make([]ref, 0, 32)} }}

func (x *executor) leave() {
	x.e.share.Executing.Add(^uint32(0))
	x.count()
	x.e = nil
	executors.Put(x)
}

// count adds up what was executed.
func (x *executor) count() {
	if x.nodes > 0 {
		x.e.executed.Nodes.Add(x.nodes)
		x.e.executed.Foreign.Add(x.foreign)
		x.e.executed.Bytes.Add(x.bytes)
		x.nodes, x.foreign, x.bytes = 0, 0, 0
	}
}

// drain executes the nodes on the stack, and as many as no other executor was found for.
func (x *executor) drain() {
	for {
		for len(x.stack) > 0 {
			r := x.stack[len(x.stack)-1]
			x.stack = x.stack[:len(x.stack)-1]
			if phase(r.n.state.Load()&phaseMask) == over {
				x.finish(r.g, r.n)
				continue
			}
			if x.e.trace != nil {
				x.traced(r)
				continue
			}
			x.execute(r)
		}
		if x.stranded == 0 {
			return
		}
		x.stranded--
		x.takeOne()
	}
}

// ready is for a node whose predecessors are all done.
func (x *executor) ready(g *graph, n *node) {
	switch {
	case n.kind == cad.KindEnd:
		x.complete(g)
	case n.kind == cad.Send || n.kind == cad.Recv:
		x.meet(g, n)
	default:
		x.runnable(g, n)
	}
}

// pass has a SEND or RECV that nothing will meet, and whose state is over, be done. It waits on the stack, as a row of
// such nodes may be as long as a graph. Else each would call finish for the next one.
func (x *executor) pass(g *graph, n *node) { x.stack = append(x.stack, ref{g, n}) }

// runnable decides who executes a node that can be executed.
func (x *executor) runnable(g *graph, n *node) {
	owner := int(high(g.where.Load()))
	switch {
	case owner != x.e.rank && (n.policy == cad.Owner || !x.e.can(g, n, owner)):
		x.handOver(g, n, owner)
	case n.size > inlineBytes && !n.alone && n.policy == cad.Share && x.shares(n):
		x.offer(g, n, owner)
	default:
		x.stack = append(x.stack, ref{g, n})
	}
}

// shares tells whether a node that this rank could execute is better left to others: to
// one that polls, or to one that is to be woken if there is enough to do.
func (x *executor) shares(n *node) bool {
	if x.e.work.Polling.Load() != 0 {
		return true
	}
	x.retained += n.size
	return x.retained > wakeBytes && x.e.sleepers()
}

// can tells whether this rank can execute a node of another: it may not have the operator or
// the function.
func (e *Engine) can(g *graph, n *node, owner int) bool {
	return !n.alone && (n.kind != cad.Calc && !n.folds || e.resolve(n.operator(g), owner) != nil)
}

// resolve returns this rank's function for the operator that a rank calls by a name.
func (e *Engine) resolve(name uint64, owner int) func(inout, in []byte) {
	if e.options.Resolve == nil || name&cad.Common == 0 && !e.job.SameProgram(e.rank, owner) {
		return nil
	}
	return e.options.Resolve(name)
}

// function returns what a node that this rank can execute calls.
func (e *Engine) function(r ref, owner int) func(inout, in []byte) {
	if owner != e.rank {
		return e.resolve(r.n.operator(r.g), owner)
	}
	m := e.runOf(r.g).image
	return m.ops[(r.n.address()-m.nodes)/uint64(nodeSize)].Apply
}

// runOf returns the run of a graph of this rank.
func (e *Engine) runOf(g *graph) *run { return e.runs[int(uint16(g.where.Load()))].Load() }

// execute executes a node.
func (x *executor) execute(r ref) {
	n := r.n
	switch n.kind {
	case cad.Recv:
		x.transfer(r)
		return
	case cad.Copy:
		move(n.dst, n.src, n.size)
	case cad.Calc:
		x.calculate(r, n.src)
	case cad.Call:
		// What a fault has spoiled is not to be used. A graph that was given up has a fault, too: its
		// buffers are no longer in its use.
		if r.g.fault.Fault() == 0 {
			x.calculate(r, n.src)
		}
	}
	x.tally(r)
	x.finish(r.g, n)
}

// transfer moves the bytes of a SEND and a RECV that have met, or combines those of the
// RECV with them. The graph that gets them also gets what is wrong with them.
func (x *executor) transfer(r ref) {
	s := nodeAt(r.n.src)
	from := graphAt(s.dst)
	switch {
	case s.size != r.n.size:
	case r.n.folds:
		x.calculate(r, s.src)
	default:
		move(r.n.dst, s.src, s.size)
	}
	r.g.fault.Note(from.fault.Failure())
	x.tally(r)
	r.n.state.Store(over.of(r.g.issue.Load()))
	s.state.Store(over.of(from.issue.Load()))
	x.finish(r.g, r.n)
	x.finish(from, s)
}

// calculate applies the operator to what the node writes and what lies at an address, or
// calls the function.
func (x *executor) calculate(r ref, in uint64) {
	owner := int(high(r.g.where.Load()))
	f := x.e.function(r, owner)
	defer func() {
		if v := recover(); v != nil {
			r.g.fault.Note(cad.Panicked(v, owner))
		}
	}()
	f(cad.BytesAt(r.n.dst, int(r.n.size)), cad.BytesAt(in, int(r.n.size)))
}

func (x *executor) tally(r ref) {
	x.nodes++
	x.bytes += r.n.size
	if int(high(r.g.where.Load())) != x.e.rank {
		x.foreign++
	}
}

// finish is for a node that is done: those that come after it may be ready. The last
// thing it does with the graph is to count down: then that may be complete.
func (x *executor) finish(g *graph, n *node) {
	aux, nodes := g.aux.Load(), g.nodes.Load()
	first, count := n.first, n.count
	for i := range count {
		next := nodeAt(nodes + uint64(word(aux, first+i).Load())*uint64(nodeSize))
		if next.left.Add(^uint32(0)) == 0 {
			x.ready(g, next)
		}
	}
}

// complete tells the owner that all is done. After that the graph may be another.
func (x *executor) complete(g *graph) {
	owner := int(high(g.where.Load()))
	g.done.Store(g.issue.Load())
	x.e.job.Inbox(owner).Notify()
}
