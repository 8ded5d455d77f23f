package devices

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A device starts pieces to a peer that has few under way before further ones to another peer,
// though these come first; and it does so even if it has enough to do, but not for ever.
func TestDeviceSendsToSeveralPeers(t *testing.T) {
	d := &device{best: &best{}}
	var to [mostSharing + 2]*Cargo
	for i := range to {
		to[i] = &Cargo{Peer: &Peer{paths: make([]path, 1)}}
		for range 4 {
			c := &piece{of: to[i], to: 1000}
			d.queue = append(d.queue, c)
			d.owe(c.of.Peer, c.len())
		}
	}
	require.Equal(t, len(to), d.peers)
	for started := range eachFlying * mostSharing {
		i := d.next(true)
		require.GreaterOrEqual(t, i, 0)
		c := d.queue[i]
		require.Same(t, to[started/eachFlying], c.of)
		d.queue = append(d.queue[:i:i], d.queue[i+1:]...)
		d.fly(c)
	}
	require.Equal(t, -1, d.next(true), "enough")
	require.Zero(t, d.next(false))

	for _, c := range d.flying {
		d.leave(c)
	}
	for _, c := range d.queue {
		d.owe(c.of.Peer, -c.len())
	}
	require.Zero(t, d.peers)
	for _, s := range to {
		require.Zero(t, s.Peer.paths[0])
	}
}

// On a slow device, too, a piece is under way for chunkTime at most, where the device sends to two peers at a time.
func TestChunksOfSlowDevices(t *testing.T) {
	d := &device{peers: 2}
	for _, bandwidth := range []float64{1.3e6, 5.7e6, 125e6} {
		took := time.Duration(float64(d.chunk(bandwidth)*d.peers) * 1e9 / bandwidth)
		require.LessOrEqual(t, took, chunkTime)
		require.Greater(t, took, chunkTime*9/10)
	}
	require.Equal(t, leastChunk, d.chunk(1e4))
	require.Equal(t, mostChunk, d.chunk(1e12))
}
