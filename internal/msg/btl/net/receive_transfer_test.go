package net

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/btl/net/devices"
	"github.com/gopvas/gopvas/internal/msg/btl/net/landing"
	"github.com/gopvas/gopvas/internal/node/job"
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
	memory.Root().SetAddresses(1, netip.AddrPortFrom(list[0], 9), netip.AddrPortFrom(list[1], 9))
	p := m.peer(1)
	require.True(t, m.devices.Find(&p.Peer))
	become(m, p, devices.Up)
	buf := make([]byte, size)
	part = &recvTransfer{m: m, peer: p, dst: btl.Buffer{Bytes: buf}, total: size, size: size, buf: buf}
	part.place = m.landings.Grant(part, p.ID(), buf)
	piece = &suci.Received{From: p.ID(), Place: landing.Place(part.place, 0, 0), Data: buf}
	for device := range 2 {
		require.NotNil(t, m.landings.Locate(device, p.ID(), piece.Place, size))
	}
	m.placed(1, piece)
	require.Equal(t, devices.Up, p.State(0), "the piece by device 0 may be whole")
	return m, part, piece
}

// become has the path by the second device, which is probed or up, be in a state.
func become(m *Module, p *peer, s devices.State) {
	tell := func(what suci.Change) { m.devices.Changed(&p.Peer, devices.Change{Device: 1, What: what}) }
	later := time.Now().Add(time.Second)
	if p.State(1) == devices.Probing {
		tell(suci.Answers)
	}
	if s != devices.Up {
		tell(suci.Silent)
	}
	if s == devices.Down || s == devices.Probing {
		m.devices.TendPaths(later)
	}
	if s == devices.Probing {
		m.devices.TendPaths(later.Add(time.Second))
	}
}

// The path of the first device is taken down if the piece is not whole when all is read that has come, and
// only then.
func TestPieceComesTwice(t *testing.T) {
	for _, whole := range []bool{false, true} {
		m, part, piece := twice(t)
		p := part.peer
		if whole {
			m.placed(0, piece)
		}
		over, err := part.Progress()
		require.NoError(t, err)
		require.Equal(t, whole, over)
		require.Equal(t, whole, p.State(0) == devices.Up)
		require.Equal(t, devices.Up, p.State(1))
	}
}

// A path that is the last one up stays, and the piece that comes by it ends the transfer.
func TestPieceComesTwiceByTheLastPath(t *testing.T) {
	for _, s := range []devices.State{devices.Probing, devices.Doubted, devices.Down} {
		m, part, piece := twice(t)
		p := part.peer
		become(m, p, s)
		require.Equal(t, s, p.State(1))
		over, err := part.Progress()
		require.NoError(t, err)
		require.False(t, over)
		require.Equal(t, devices.Up, p.State(0))
		m.placed(0, piece)
		over, err = part.Progress()
		require.NoError(t, err)
		require.True(t, over)
	}
}
