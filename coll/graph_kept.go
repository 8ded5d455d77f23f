package coll

import (
	"sync"

	"github.com/gopvas/gopvas/coll/cad"
)

// GraphOnce is Graph for a graph that will be issued once. It need not be built if one
// was for a call that differs in nothing but where the buffers are.
func (t *Team) GraphOnce(a *Args) (*cad.Graph, error) {
	s, ok := t.shapeOf(a)
	if !ok {
		return t.Graph(*a)
	}
	if g := t.kept.take(s); g != nil {
		g.Lend(a.Send.Data, a.Recv.Data)
		return g, nil
	}
	g, err := t.Graph(*a)
	if err == nil {
		g.Keep(func(g *cad.Graph) { t.kept.give(s, g) }, a.Send.Data, a.Recv.Data)
	}
	return g, err
}

// FreeGraphs gives back the graphs that are kept, and those that still are underway when
// they are complete. It is local, and due on each member when no more will be asked for.
func (t *Team) FreeGraphs() { t.kept.close() }

// shape is what the graph of a call depends on, but for the places of its buffers.
type shape struct {
	kind                 Kind
	root                 int
	op                   *Op    // that has no name
	name                 uint64 // of the operator
	inPlace              bool
	send, recv           int // lengths
	sendBlock, recvBlock int
}

// shapeOf returns the shape of a call; false: the call is wrong, or has no simple one.
func (t *Team) shapeOf(a *Args) (s shape, ok bool) {
	if a.Wrong != nil || a.Irregular || a.Before != nil || a.After != nil || a.Send.Counts != nil || a.Recv.Counts != nil || a.overlap(t) {
		return s, false
	}
	s = shape{
		kind: a.Kind, root: a.Root, inPlace: a.InPlace,
		send: len(a.Send.Data), recv: len(a.Recv.Data), sendBlock: a.Send.Block, recvBlock: a.Recv.Block,
	}
	if a.Op != nil {
		if s.name = a.Op.Name; s.name == 0 {
			s.op = a.Op
		}
	}
	return s, true
}

// Bounds of the graphs that a team keeps.
const (
	keptGraphsMost = 64
	keptBytesMost  = 1 << 20
)

// keptGraphs are graphs that wait to be issued again, the last ones used at the end.
type keptGraphs struct {
	mu     sync.Mutex // taken under the lock of the engine for messages
	idle   []keptGraph
	bytes  int
	closed bool
}

type keptGraph struct {
	shape shape
	graph *cad.Graph
	bytes int
}

// take takes a graph of a shape out, if there is one.
func (k *keptGraphs) take(s shape) *cad.Graph {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := len(k.idle) - 1; i >= 0; i-- {
		if k.idle[i].shape == s {
			return k.remove(i)
		}
	}
	return nil
}

// give adds a graph, in the place of others if there are too many.
func (k *keptGraphs) give(s shape, g *cad.Graph) {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := g.Bytes()
	if k.closed || n > keptBytesMost {
		g.Free()
		return
	}
	k.idle = append(k.idle, keptGraph{s, g, n})
	k.bytes += n
	for len(k.idle) > keptGraphsMost || k.bytes > keptBytesMost {
		k.remove(0).Free()
	}
}

func (k *keptGraphs) remove(i int) *cad.Graph {
	g := k.idle[i].graph
	k.bytes -= k.idle[i].bytes
	k.idle = append(k.idle[:i], k.idle[i+1:]...)
	return g
}

// close frees all graphs, and those that are given later.
func (k *keptGraphs) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.idle) > 0 {
		k.remove(0).Free()
	}
	k.closed = true
}
