package cad

import "github.com/gopvas/gopvas/btl"

// How a graph becomes the task that executes it by messages.

// action is a node, as it is executed.
type action struct {
	kind         Kind
	folds        bool
	before       int32
	first, count int32 // successors, in edges
	peer         int32 // rank of the job
	port         uint32
	op           *Op
	dst, src     area
	in           []byte // of a RECV that folds: what was received
}

// area is memory that a node works on: a part of a buffer that changes from issue to issue, or
// memory that is the same for all issues.
type area struct {
	buffer   int // which buffer; -1: own
	at, size int
	own      btl.Buffer
}

// build makes the task of a graph, unless it stayed built.
func (t *Transport) build(c *Channel, g *Graph) (*messageRun, error) {
	if r, ok := g.Built().(*messageRun); ok {
		return r, nil
	}
	edges, first := g.successors()
	if err := g.check(c.Size, edges, first); err != nil {
		return nil, err
	}
	whole, gate := g, Start
	if t.Check && c.Size > 1 {
		whole, gate = g.guarded(c.Rank, c.Size)
		edges, first = whole.successors()
	}
	r := &messageRun{t: t, channel: c, state: StateOf[state](c), graph: g, edges: edges, gate: gate,
		actions: make([]action, len(whole.nodes)), left: make([]int32, len(whole.nodes))}
	ports := make([]uint32, 2*c.Size)
	for n := range whole.nodes {
		s, a := &whole.nodes[n], &r.actions[n]
		*a = action{kind: s.kind, folds: s.folds(), op: s.op, first: first[n], count: first[n+1] - first[n],
			dst: areaOf(g, s.dst), src: areaOf(g, s.src)}
		if s.kind == Send || s.kind == Recv {
			next := &ports[2*s.peer+int(s.kind-Send)]
			a.peer, a.port = int32(c.world(s.peer)), *next
			*next++
		}
		if a.folds {
			a.in = make([]byte, s.dst.Len())
		}
		r.bytes += a.dst.own.Len() + len(a.in)
	}
	for _, e := range edges {
		r.actions[e.to].before++
	}
	r.bytes += len(r.actions) * actionBytes
	r.count(r.bytes)
	g.Keep(r)
	return r, nil
}

// areaOf returns where a node's memory is.
func areaOf(g *Graph, b btl.Buffer) area {
	if i, at := g.Place(b.Bytes); i >= 0 {
		return area{buffer: i, at: at, size: len(b.Bytes)}
	}
	return area{buffer: -1, size: b.Len(), own: b}
}

// of returns the memory, and bytesOf that of an operator, which has no layout.
func (r *messageRun) of(a *area) btl.Buffer {
	if a.buffer < 0 {
		return a.own
	}
	return btl.Buffer{Bytes: r.bytesOf(a)}
}

func (r *messageRun) bytesOf(a *area) []byte {
	if a.buffer < 0 {
		return a.own.Bytes
	}
	return r.graph.Buffer(a.buffer)[a.at:][:a.size]
}

// Bytes implements cad.Built.
func (r *messageRun) Bytes() int { return r.bytes }

// Replace implements cad.Built. The nodes have places in the buffers.
func (r *messageRun) Replace(func(at uint64) uint64) {}

// Free implements cad.Built.
func (r *messageRun) Free() { r.count(-r.bytes) }
