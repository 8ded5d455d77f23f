package message

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
)

// How a graph becomes the task that executes it by messages.

// Build makes the task of a graph, unless it stayed built.
func (t *Transport) Build(c *cad.Channel, g *cad.Graph) (*run, error) {
	if r, ok := g.Built().(*run); ok {
		return r, nil
	}
	edges, first := g.Successors()
	if err := g.Check(c.Size, edges, first); err != nil {
		return nil, err
	}
	whole, gate := g, cad.Start
	if t.Check && c.Size > 1 {
		whole, gate = g.Guarded(c.Rank, c.Size)
		edges, first = whole.Successors()
	}
	r := &run{t: t, channel: c, state: cad.StateOf[State](c), graph: g, edges: edges, gate: gate,
		actions: make([]action, len(whole.Nodes)), left: make([]int32, len(whole.Nodes))}
	ports := make([]uint32, 2*c.Size)
	for n := range whole.Nodes {
		s, a := &whole.Nodes[n], &r.actions[n]
		r.own = r.own || s.Own()
		*a = action{kind: s.Kind, folds: s.Folds(), op: s.Op, first: first[n], count: first[n+1] - first[n],
			dst: areaOf(g, s.Dst), src: areaOf(g, s.Src)}
		if s.Kind == cad.Send || s.Kind == cad.Recv {
			next := &ports[2*s.Peer+int(s.Kind-cad.Send)]
			a.peer, a.port = int32(c.RankOf(s.Peer)), *next
			*next++
		}
		if a.folds {
			a.in = make([]byte, s.Dst.Len())
		}
		r.bytes += a.dst.own.Len() + len(a.in)
	}
	for _, e := range edges {
		r.actions[e.To].before++
	}
	r.bytes += len(r.actions) * actionBytes
	r.count(r.bytes)
	g.Keep(r)
	return r, nil
}

// areaOf returns where a node's memory is.
func areaOf(g *cad.Graph, b btl.Buffer) area {
	if i, at := g.Place(b.Bytes); i >= 0 {
		return area{buffer: i, at: at, size: len(b.Bytes)}
	}
	return area{buffer: -1, size: b.Len(), own: b}
}

// of returns the memory, and bytesOf that of an operator, which has no layout.
func (r *run) of(a *area) btl.Buffer {
	if a.buffer < 0 {
		return a.own
	}
	return btl.Buffer{Bytes: r.bytesOf(a)}
}

func (r *run) bytesOf(a *area) []byte {
	if a.buffer < 0 {
		return a.own.Bytes
	}
	return r.graph.Buffer(a.buffer)[a.at:][:a.size]
}

// Bytes implements cad.Built.
func (r *run) Bytes() int { return r.bytes }

// Replace implements cad.Built. The nodes have places in the buffers.
func (r *run) Replace(cad.Moved) {}

// Free implements cad.Built.
func (r *run) Free() { r.count(-r.bytes) }
