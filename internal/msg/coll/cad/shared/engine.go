package shared

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/coll/cad/message"
	"github.com/gopvas/gopvas/internal/msg/numa"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
)

// ErrTooMany means that a rank has more graphs underway in one address space than there is room for.
var ErrTooMany = fmt.Errorf("too many nonblocking collective operations are underway, "+
	"at most %d of a rank: wait for some of them first", maxGraphs)

// Options are what a rank's engine is told at the beginning.
type Options struct {
	Policy cad.Policy // of graphs that have no other

	// Check makes all graphs begin with a round in which their members find out whether they stand for the same
	// call (see cad.Graph.Signature). They end there if they do not. All are executed by messages then.
	Check bool

	// Describe names a call for errors.
	Describe func(call uint64) string

	// Resolve returns this rank's function for the name of an operator (Op.Name), nil
	// if there is none.
	Resolve func(name uint64) func(inout, in []byte)
}

// Space is what graphs in one address space ask besides, for the ranks that share it. On
// one node *job.Root answers it.
type Space interface {
	cad.Job
	numa.Job
	Work() *job.Work
	Share(rank int) *job.Share
	PublishGraphs(rank int, at uint64)
	Graphs(rank int) uint64
	SameProgram(a, b int) bool
}

// Engine issues and executes graphs for one rank. Any goroutine may call any method.
type Engine struct {
	job      Space
	messages *pml.Engine
	rank     int
	whole    bool // all of the job shares one address space
	options  Options
	share    *job.Share
	work     *job.Work
	near     *numa.Memory

	pools []atomic.Pointer[pool] // of all ranks, as far as they were asked for
	mine  atomic.Pointer[pool]   // this rank's, from its first issue on

	mu          sync.Mutex // guards the rest
	nodes       lines
	aux         lines
	recordLines lines // records, which are never given back: so they start as zeros
	slots       []int // of the pool that are free
	issues      uint64
	records     map[uint32]*record // of this rank, by context

	abandoned []*run // whose memory others may still be at work on
	dead      []int  // ranks that have gone, in the order in which that was noticed
	deadAt    int    // Events then

	runs [maxGraphs]atomic.Pointer[run] // what is underway, by slot; written under mu

	transport message.Transport // of graphs by messages
	trace     *tracer           // nil: nothing is recorded
	executed  message.Executed
	helper    helper
}

// New returns the engine of a rank. If the rank can share its address space, it becomes
// the helper of the engine for messages, which is not in use yet.
func New(j Space, rank int, messages *pml.Engine, o Options) *Engine {
	e := &Engine{
		job: j, messages: messages, rank: rank, options: o,
		whole:   messages.Routes().Direct(nil),
		share:   j.Share(rank),
		work:    j.Work(),
		near:    numa.Of(j, rank),
		pools:   make([]atomic.Pointer[pool], j.Places()),
		records: map[uint32]*record{},
	}
	e.transport = message.Transport{Job: j, Messages: messages, Rank: rank, Check: o.Check,
		Describe: o.Describe, Executed: &e.executed}
	alloc := func(n int) ([]byte, error) {
		b := alignedHeap(n)
		keep(b)
		return b, nil
	}
	direct := e.beside(rank)
	if direct {
		messages.SetHelper(e)
	}
	if direct && !heapOnly {
		memory := messages.Routes().Memory([]int32{int32(rank)})
		alloc = func(n int) ([]byte, error) {
			mem, _, err := memory.Alloc(n)
			return mem, err
		}
	}
	e.nodes.alloc, e.aux.alloc, e.recordLines.alloc = alloc, alloc, alloc
	if e.options.Policy == cad.Default {
		e.options.Policy = cad.Share
	}
	return e
}

// beside tells whether a rank of the job shares the address space of this one.
func (e *Engine) beside(rank int) bool {
	return e.whole || e.messages.Routes().Direct([]int32{int32(rank)})
}

// Issue begins a graph, and does not wait. The request is waited for as those of
// messages are; until it is complete the graph, its buffers and the channel stay as
// they are. The error is a *GraphError, ErrTooMany, or one of the engine for messages.
// That of the wait is, or wraps, a *LostError, *MismatchError or *OperatorError; a graph with
// such an error may still be at work on its buffers if it is a *LostError.
func (e *Engine) Issue(c *cad.Channel, g *cad.Graph) (pml.Request, error) {
	r, err := e.task(c, g)
	if err != nil {
		return pml.Request{}, err
	}
	return e.messages.Begin(r, c.Context)
}

// task returns what executes a graph.
func (e *Engine) task(c *cad.Channel, g *cad.Graph) (pml.Task, error) {
	if e.options.Check || !e.messages.Routes().Direct(c.World) {
		if e.options.Policy != cad.Owner {
			e.messages.Attend()
		}
		return e.transport.Build(c, g)
	}
	return e.newRun(c, g)
}

// Refuse notes that a graph is not issued, and why, until forget is called. Its signature says which operation it is.
// If calls are checked the others learn of it.
func (e *Engine) Refuse(c *cad.Channel, g *cad.Graph, cause error) (forget func()) {
	g = cad.NewRefusal(cad.Operation(g.Signature), g.Title())
	forget = e.transport.NoteRefusal(c, g, cause)
	if e.options.Check {
		e.transport.Refuse(c, g, cause)
	}
	return forget
}

// Prepare returns a request that Start begins, any number of times, without building
// the graph again.
func (e *Engine) Prepare(c *cad.Channel, g *cad.Graph) (pml.Request, error) {
	r, err := e.task(c, g)
	if err != nil {
		return pml.Request{}, err
	}
	return e.messages.Prepare(r, c.Context)
}

// pool returns what another rank has underway that this rank can take part in, nil if it
// never had anything.
func (e *Engine) pool(rank int) *pool {
	if p := e.pools[rank].Load(); p != nil {
		return p
	}
	if !e.beside(rank) {
		return nil
	}
	at := e.job.Graphs(rank)
	if at == 0 {
		return nil
	}
	p := poolAt(at)
	e.pools[rank].Store(p)
	return p
}

// ownPool returns this rank's pool. e.mu is held.
func (e *Engine) ownPool() (*pool, error) {
	if p := e.mine.Load(); p != nil {
		return p, nil
	}
	mem, err := e.nodes.alloc(poolSize)
	if err != nil {
		return nil, fmt.Errorf("cad: memory for graphs: %w", err)
	}
	e.nodes.kept = append(e.nodes.kept, mem)
	p := poolAt(cad.AddressOf(mem))
	for slot := range p.graphs {
		e.slots = append(e.slots, maxGraphs-1-slot)
	}
	e.mine.Store(p)
	e.pools[e.rank].Store(p)
	e.job.PublishGraphs(e.rank, cad.AddressOf(mem))
	e.announce()
	return p, nil
}

// announce wakes ranks that sleep since a time when there were no graphs: they make themselves known as helpers.
func (e *Engine) announce() {
	if !e.work.Used.CompareAndSwap(0, 1) {
		return
	}
	for rank := range e.job.Ranks() {
		if e.beside(rank) {
			e.job.Inbox(rank).Notify()
		}
	}
}

// Counters is what a rank has executed, and how much memory its graphs take.
type Counters struct {
	Nodes   uint64 // all that move or combine bytes
	Foreign uint64 // those of other ranks' graphs
	Bytes   uint64 // moved or combined
	Memory  uint64 // bytes that the rank's graphs take that are underway, prepared or kept
}

// Counters returns what this rank has executed so far.
func (e *Engine) Counters() Counters {
	e.mu.Lock()
	memory := e.nodes.bytes + e.aux.bytes + e.executed.Memory.Load()
	e.mu.Unlock()
	return Counters{e.executed.Nodes.Load(), e.executed.Foreign.Load(), e.executed.Bytes.Load(), memory}
}
