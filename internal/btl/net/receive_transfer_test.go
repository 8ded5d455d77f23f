package net

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/suci"
)

// twice is a part of which a piece has come by the second device while it was coming by the first, too.
func twice(t *testing.T) (m *Module, part *recvTransfer, piece *suci.Received) {
	const size = 300
	list := []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.2")}
	memory, err := job.Create(job.Config{
		Ranks: 2, BTL: job.BTLSM, CPUs: 2, Nodes: []int{0, 1}, Host: list[0], Devices: list, Key: job.Key{7},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, memory.Close()) })
	m, err = Open(memory.Root(), 0)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	p := &peer{rank: 1, id: idOf(1), paths: make([]path, 2)}
	for i := range p.paths {
		m.setState(&p.paths[i], up)
	}
	buf := make([]byte, size)
	part = &recvTransfer{m: m, peer: p, dst: btl.Buffer{Bytes: buf}, total: size, size: size, buf: buf}
	part.place = m.landings.grant(part, p.id, buf)
	piece = &suci.Received{From: p.id, Place: part.place << offsetBits, Data: buf}
	for _, d := range m.devices {
		require.NotNil(t, m.landings.locate(d, p.id, piece.Place, size))
	}
	m.placed(m.devices[1], piece)
	require.Equal(t, up, p.paths[0].state, "the piece by device 0 may be whole")
	return m, part, piece
}

// The path of the first device is taken down if the piece is not whole when all is read that has come, and
// only then.
func TestPieceComesTwice(t *testing.T) {
	for _, whole := range []bool{false, true} {
		m, part, piece := twice(t)
		p := part.peer
		if whole {
			m.placed(m.devices[0], piece)
		}
		over, err := part.Progress()
		require.NoError(t, err)
		require.Equal(t, whole, over)
		require.Equal(t, whole, p.paths[0].state == up)
		require.Equal(t, up, p.paths[1].state)
	}
}

// A path that is the last one up stays, and the piece that comes by it ends the transfer.
func TestPieceComesTwiceByTheLastPath(t *testing.T) {
	for _, s := range []pathState{unknown, probing, doubted, down} {
		m, part, piece := twice(t)
		p := part.peer
		m.setState(&p.paths[1], s)
		over, err := part.Progress()
		require.NoError(t, err)
		require.False(t, over)
		require.Equal(t, up, p.paths[0].state)
		m.placed(m.devices[0], piece)
		over, err = part.Progress()
		require.NoError(t, err)
		require.True(t, over)
	}
}
