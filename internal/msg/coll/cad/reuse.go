package cad

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// Graphs that are issued many times, each time with other buffers. To build a graph takes
// several times as long as to issue it.

// Built is a graph as an executor has built it.
type Built interface {
	Bytes() int      // of memory that it takes between issues
	Replace(m Moved) // replaces addresses in its buffers
	Free()           // gives the memory back
}

// Moved knows the new places of addresses in buffers that were replaced.
type Moved interface{ New(at uint64) uint64 }

// Built returns what Keep has kept, nil if there is nothing.
func (g *Graph) Built() Built {
	if g.reuse == nil {
		return nil
	}
	return g.reuse.built
}

// Keep keeps what an executor has built, if the graph is one of Reuse.
func (g *Graph) Keep(b Built) {
	if g.reuse != nil {
		g.reuse.built = b
	}
}

// Rest ends an issue of a graph of Reuse, which had no failure. It runs under the lock of the engine for messages.
// Others are not to stay built: then it returns false.
func (g *Graph) Rest() bool {
	if g.reuse == nil {
		return false
	}
	g.reuse.rest(g)
	return true
}

// Place returns which of its buffers some memory of a graph of Reuse lies in, and where; -1: in none.
func (g *Graph) Place(b []byte) (buffer, at int) {
	if g.reuse == nil || len(b) == 0 {
		return -1, 0
	}
	place := AddressOf(b)
	i := g.reuse.buffers.has(place)
	if i < 0 {
		return -1, 0
	}
	return i, int(place - g.reuse.buffers[i].at)
}

// Buffer returns one of its buffers.
func (g *Graph) Buffer(i int) []byte { return g.reuse.data[i] }

// buffers are the places of the two buffers that a graph may work on.
type buffers [2]struct{ at, size uint64 }

// Reuse keeps the graph built when an issue is complete, whose error was nil. Then it
// calls back: the graph no longer refers to its buffers. It can be given others and issued
// again, on a channel of the same engine, or freed. back must not call the engine. Reuse is
// called when the graph has all its nodes. Such a graph cannot be prepared, and has no
// buffer with a layout.
func (g *Graph) Reuse(back func(*Graph), send, recv []byte) {
	g.reuse = &reuse{back: back}
	g.reuse.set(send, recv)
}

// SetBuffers replaces the buffers of a graph by others of the same lengths. A node that had a
// part of one of them has the same part of the new one.
func (g *Graph) SetBuffers(send, recv []byte) {
	k := g.reuse
	k.old = k.buffers
	k.set(send, recv)
	if k.built != nil {
		k.built.Replace(k)
	}
}

func (k *reuse) set(send, recv []byte) {
	k.data = [2][]byte{send, recv}
	for i, b := range k.data {
		k.buffers[i].at, k.buffers[i].size = AddressOf(b), uint64(len(b))
	}
}

// New returns the new place of an address in one of the old buffers, and any other address as it is.
func (k *reuse) New(at uint64) uint64 {
	if i := k.old.has(at); i >= 0 {
		return k.buffers[i].at + (at - k.old[i].at)
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

// rest ends an issue.
func (k *reuse) rest(g *Graph) {
	k.data = [2][]byte{}
	if !k.bare {
		k.strip(g)
	}
	k.back(g)
}

// strip removes the buffers from the nodes, but leaves memory that the graph owns.
func (k *reuse) strip(g *Graph) {
	k.bare, g.Edges = true, nil
	for i := range g.Nodes {
		s := &g.Nodes[i]
		if k.buffers.has(AddressOf(s.Dst.Bytes)) >= 0 {
			s.Dst = btl.Buffer{}
		}
		if k.buffers.has(AddressOf(s.Src.Bytes)) >= 0 {
			s.Src = btl.Buffer{}
		}
	}
}

// Bytes returns how much memory the graph takes between issues.
func (g *Graph) Bytes() int { return g.reuse.built.Bytes() }

// Free gives back the memory of a graph that was handed to the function of Reuse.
func (g *Graph) Free() {
	if b := g.reuse.built; b != nil {
		b.Free()
	}
	g.reuse = nil
}

// AddressOf returns where b is, 0 if it is empty. The caller keeps it on the heap and
// reachable as long as this rank or another uses the address.
func AddressOf(b []byte) uint64 {
	if len(b) == 0 {
		return 0
	}
	return uint64(sys.AddrOf(b))
}
