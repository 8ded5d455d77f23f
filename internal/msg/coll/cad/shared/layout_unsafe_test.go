package shared

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
)

// TestLayout pins what is shared, and that words of different writers lie in different
// cache lines.
func TestLayout(t *testing.T) {
	var (
		n node
		g graph
		p pool
		r record
	)
	for _, c := range []struct {
		name      string
		have, pin uintptr
	}{
		{"node.state", unsafe.Offsetof(n.state), 0},
		{"node.left", unsafe.Offsetof(n.left), 8},
		{"node.link", unsafe.Offsetof(n.link), 20},
		{"node.arg", unsafe.Offsetof(n.arg), 32},
		{"node.src", unsafe.Offsetof(n.src), 48},
		{"size of node", unsafe.Sizeof(n), 64},
		{"graph.issue", unsafe.Offsetof(g.issue), 0},
		{"graph.head", unsafe.Offsetof(g.head), 64},
		{"graph.tail", unsafe.Offsetof(g.tail), 128},
		{"graph.own", unsafe.Offsetof(g.own), 136},
		{"graph.done", unsafe.Offsetof(g.done), 192},
		{"graph.fault", unsafe.Offsetof(g.fault), 256},
		{"size of graph", unsafe.Sizeof(g), 448},
		{"size of Cell", unsafe.Sizeof(cad.Cell{}), 192},
		{"pool.ready", unsafe.Offsetof(p.ready), 0},
		{"pool.own", unsafe.Offsetof(p.own), 256},
		{"pool.channels", unsafe.Offsetof(p.channels), 384},
		{"pool.graphs", unsafe.Offsetof(p.graphs), 384 + 8*maxChannels},
		{"record.broken", unsafe.Offsetof(r.broken), 64},
		{"record.ring", unsafe.Offsetof(r.ring), 256},
		{"size of record", unsafe.Sizeof(r), 256 + 8*ringSize},
	} {
		require.Equal(t, c.pin, c.have, c.name)
	}
	require.Less(t, entrySlot(entry(1<<30, maxGraphs-1, 1)), maxGraphs)
}

// TestEntries: what is packed comes out again, also where numbers wrap.
func TestEntries(t *testing.T) {
	for _, number := range []uint32{0, 1, ringSize, 1<<numBits - 1, 1 << numBits, 1<<32 - 1} {
		e := entry(number, maxGraphs-1, 1<<issueBits-1)
		require.True(t, entryIs(e, number))
		require.False(t, entryIs(e, number+ringSize))
		require.Equal(t, maxGraphs-1, entrySlot(e))
		require.EqualValues(t, 1<<issueBits-1, entryIssue(e))
	}
}
