package cad

import "github.com/gopvas/gopvas/btl"

// Graphs that are issued many times, each time with other buffers. To build a graph takes
// several times as long as to issue it.

// reuse is the state of a graph that stays built between its issues.
type reuse struct {
	run        *run           // once it is built, in one address space
	byMessages *messageRun    // likewise, by messages
	back       func(g *Graph) // takes the graph between issues
	buffers    buffers        // that it works on
	data       [2][]byte      // the same, for the garbage collector, while an issue is underway
	bare       bool           // the nodes no longer refer to the buffers
}

// buffers are the places of the two buffers that a graph may work on.
type buffers [2]struct{ at, size uint64 }

// Reuse has the graph stay built when an issue is complete, whose error was nil. Then it
// calls back: the graph no longer refers to its buffers. It can be given others and issued
// again, on a channel of the same engine, or freed. back must not call the engine. Reuse is
// called when the graph has all its nodes. Such a graph can not be prepared, and has no
// buffer with a layout.
func (g *Graph) Reuse(back func(*Graph), send, recv []byte) {
	g.reuse = &reuse{back: back}
	g.reuse.set(send, recv)
}

// SetBuffers replaces the buffers of a graph by others of the same lengths. A node that had a
// part of one of them has the same part of the new one.
func (g *Graph) SetBuffers(send, recv []byte) {
	k := g.reuse
	old := k.buffers
	k.set(send, recv)
	if k.run == nil {
		return // nodes have places in the buffers
	}
	for place := range uint32(k.run.image.count) {
		switch n := k.run.image.node(place); n.kind {
		case Send:
			n.src = k.moved(n.src, &old)
		case Recv:
			n.dst = k.moved(n.dst, &old)
		case Copy, Calc:
			n.dst, n.src = k.moved(n.dst, &old), k.moved(n.src, &old)
		}
	}
}

func (k *reuse) set(send, recv []byte) {
	k.data = [2][]byte{send, recv}
	for i, b := range k.data {
		k.buffers[i].at, k.buffers[i].size = AddressOf(b), uint64(len(b))
	}
}

// moved returns the new place of an address in one of the old buffers.
func (k *reuse) moved(at uint64, old *buffers) uint64 {
	if i := old.has(at); i >= 0 {
		return k.buffers[i].at + (at - old[i].at)
	}
	return at
}

// has returns which of the buffers an address lies in, -1 if in none.
func (l *buffers) has(at uint64) int {
	for i, b := range l {
		if at-b.at < b.size {
			return i
		}
	}
	return -1
}

// rest ends an issue. It runs under the lock of the engine for messages.
func (k *reuse) rest(g *Graph) {
	k.data = [2][]byte{}
	if !k.bare {
		k.strip(g)
	}
	k.back(g)
}

// strip removes the buffers from the nodes, but leaves memory that the graph owns.
func (k *reuse) strip(g *Graph) {
	k.bare, g.edges = true, nil
	for i := range g.nodes {
		s := &g.nodes[i]
		if k.buffers.has(AddressOf(s.dst.Bytes)) >= 0 {
			s.dst = btl.Buffer{}
		}
		if k.buffers.has(AddressOf(s.src.Bytes)) >= 0 {
			s.src = btl.Buffer{}
		}
	}
}

// Bytes returns how much memory the graph takes between issues.
func (g *Graph) Bytes() int {
	if g.reuse.byMessages != nil {
		return g.reuse.byMessages.bytes
	}
	m := g.reuse.run.image
	n := m.count*int(nodeSize) + m.words*4
	for i := range g.nodes {
		n += len(g.nodes[i].dst.Bytes)
	}
	return n
}

// Free gives back the memory of a graph that was handed to the function of Reuse.
func (g *Graph) Free() {
	if r := g.reuse.byMessages; r != nil {
		r.count(-r.bytes)
	}
	if r := g.reuse.run; r != nil {
		r.e.mu.Lock()
		defer r.e.mu.Unlock()
		r.e.free(r.image)
	}
	g.reuse = nil
}
