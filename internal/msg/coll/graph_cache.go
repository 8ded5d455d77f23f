package coll

import (
	"slices"
	"sync"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
)

// shape is what the graph of a call depends on, but for the places of its buffers.
type shape struct {
	shapeKey
	counts [4][]int // counts and displacements of both buffers
}

type shapeKey struct {
	algorithm            *algorithm
	root                 int
	op                   *Op    // that has no name
	name                 uint64 // of the operator
	inPlace, irregular   bool
	send, recv           int // lengths
	sendBlock, recvBlock int
	sendUnit, recvUnit   int
}

// shapeOf returns the shape of a call that was prepared. ok is false if its graph cannot be
// used for another call.
func (t *Team) shapeOf(a *Args, l *algorithm) (s shape, ok bool) {
	if a.typed() || !a.InPlace && a.Kind != Bcast && meets(a.Send.Data, a.Recv.Data) {
		return s, false // only irregular calls may have the latter
	}
	s.shapeKey = shapeKey{
		algorithm: l, root: a.Root, inPlace: a.InPlace, irregular: a.Irregular,
		send: len(a.Send.Data), recv: len(a.Recv.Data), sendBlock: a.Send.Block, recvBlock: a.Recv.Block,
		sendUnit: a.Send.Unit, recvUnit: a.Recv.Unit,
	}
	s.counts = [4][]int{a.Send.Counts, a.Send.Displs, a.Recv.Counts, a.Recv.Displs}
	if a.Op != nil {
		if s.name = a.Op.Name; s.name == 0 {
			s.op = a.Op
		}
	}
	return s, true
}

func (s *shape) like(o *shape) bool {
	if s.shapeKey != o.shapeKey {
		return false
	}
	for i := range s.counts {
		if !slices.Equal(s.counts[i], o.counts[i]) {
			return false
		}
	}
	return true
}

// Bounds of the graphs that a team caches. The last one stays in any case.
const (
	cachedGraphs = 64
	cachedBytes  = 1 << 20
)

// graphCache has graphs that can be issued again, the last ones used at the end.
type graphCache struct {
	mu     sync.Mutex // taken under the lock of the engine for messages
	idle   []cachedGraph
	bytes  int
	closed bool
}

type cachedGraph struct {
	shape *shape
	graph *cad.Graph
	bytes int
}

// add has a new graph of a shape enter the cache whenever it is complete.
func (k *graphCache) add(g *cad.Graph, s shape, a *Args) {
	for i := range s.counts {
		s.counts[i] = slices.Clone(s.counts[i]) // the caller may change them
	}
	g.Reuse(func(g *cad.Graph) { k.give(&s, g) }, a.Send.Data, a.Recv.Data)
}

// take takes a graph of a shape out, if there is one.
func (k *graphCache) take(s *shape) *cad.Graph {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := len(k.idle) - 1; i >= 0; i-- {
		if k.idle[i].shape.like(s) {
			return k.remove(i)
		}
	}
	return nil
}

// give adds a graph, in the place of others if there are too many.
func (k *graphCache) give(s *shape, g *cad.Graph) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		g.Free()
		return
	}
	n := g.Bytes()
	k.idle = append(k.idle, cachedGraph{s, g, n})
	k.bytes += n
	for len(k.idle) > 1 && (len(k.idle) > cachedGraphs || k.bytes > cachedBytes) {
		k.remove(0).Free()
	}
}

func (k *graphCache) remove(i int) *cad.Graph {
	g := k.idle[i].graph
	k.bytes -= k.idle[i].bytes
	last := len(k.idle) - 1
	copy(k.idle[i:], k.idle[i+1:])
	k.idle[last] = cachedGraph{}
	k.idle = k.idle[:last]
	return g
}

// close frees all graphs, and those that are given later.
func (k *graphCache) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.idle) > 0 {
		k.remove(0).Free()
	}
	k.closed = true
}
