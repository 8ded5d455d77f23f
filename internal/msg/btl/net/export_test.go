package net

import (
	"time"

	"github.com/gopvas/gopvas/internal/msg/btl/net/devices"
	"github.com/gopvas/gopvas/shm"
	"github.com/gopvas/gopvas/suci"
)

// Peer is the record of a rank.
func (m *Module) Peer(rank int) *devices.Peer { return &m.peer(rank).Peer }

// Fail ends a device of a rank, as if it was taken out of the node. Device 0, whose endpoint
// the rank rests in, is only cut off from all peers for a while. The rank calls it in its sleep.
func (m *Module) Fail(device int) {
	if device > 0 {
		_ = m.devices.Endpoint(device).Close()
		return
	}
	for _, p := range m.peers {
		if p != nil {
			m.devices.TakeDown(&p.Peer, 0)
		}
	}
}

// Tell has the rank take note of a change of a path, as an endpoint does.
func (m *Module) Tell(peer, device int, what suci.Change) {
	m.devices.Changed(m.Peer(peer), devices.Change{Device: device, What: what})
}

// Arrived tells whether a message waits for the next Poll.
func (m *Module) Arrived() bool { return !m.arrivals.empty() }

// News is what the keeper does when something has come.
func (m *Module) News() { m.onNews() }

// Waiter is how the rank waits.
func (m *Module) Waiter() *shm.Waiter { return m.waits.Load() }

// Park has the rank sleep in the socket.
func (m *Module) Park(e *shm.Event, count uint32, limit time.Duration) (bool, error) {
	return m.park(e, count, limit)
}
