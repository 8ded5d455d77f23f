package shared

import (
	"sync"

	"github.com/gopvas/gopvas/internal/msg/recorder"
	"github.com/gopvas/gopvas/trace"
)

// tracer records the nodes that the executors of a rank execute, each on a thread of its own.
type tracer struct {
	mu       sync.Mutex // guards the rest
	lane     *recorder.Lane
	contexts map[uint32]uint16
}

// Trace makes the engine record the nodes that it executes. It is called before the engine is used.
func (e *Engine) Trace(lane *recorder.Lane) {
	if lane != nil {
		e.trace = &tracer{lane: lane, contexts: map[uint32]uint16{}}
	}
}

// traced executes a node and records that. What the graph says is read before, since it may be
// another one after.
func (x *executor) traced(r ref) {
	t := x.e.trace
	place := r.g.place.Load()
	w := trace.Raw{
		Kind: trace.Node, Bytes: uint32(r.n.size), Number: uint32(place), Peer: uint16(high(r.g.where.Load())),
		Tag: int32((r.n.address() - r.g.nodes.Load()) / uint64(nodeSize)),
	}
	large := r.n.size >> 32
	context := uint32(high(place))
	t.mu.Lock()
	w.Ticks = t.lane.Now()
	t.mu.Unlock()
	x.execute(r)
	t.mu.Lock()
	defer t.mu.Unlock()
	w.Context = t.number(context)
	took := t.lane.Now() - w.Ticks
	w.Took = uint32(took)
	if took>>32 != 0 || large != 0 {
		t.lane.Put(trace.Wide(took, large<<32), w)
	} else {
		t.lane.Put(w)
	}
	t.lane.Publish()
}

// number returns the number of a context in the lane.
func (t *tracer) number(context uint32) uint16 {
	n, ok := t.contexts[context]
	if !ok && len(t.contexts) < 1<<16-1 {
		n = uint16(len(t.contexts) + 1)
		t.contexts[context] = n
		t.lane.Put(trace.NameContext(n, context, "")...)
	}
	return n
}
