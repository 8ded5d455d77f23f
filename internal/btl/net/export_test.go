package net

import (
	"time"

	"github.com/gopvas/gopvas/exchange"
	"github.com/gopvas/gopvas/suci"
)

// Fail ends a device of a rank, as if it was taken out of the node. Device 0, whose endpoint
// the rank rests in, is only cut off from all peers for a while. The rank calls it in its sleep.
func (m *Module) Fail(device int) {
	if device > 0 {
		_ = m.devices[device].endpoint.Close()
		return
	}
	for _, p := range m.peers {
		if p != nil {
			m.takeDown(p, m.devices[0])
		}
	}
}

// Ways returns how many devices reach a peer.
func (m *Module) Ways(peer int) (n int) {
	if p := m.peer(peer); p != nil {
		for i := range p.paths {
			if p.paths[i].state == up {
				n++
			}
		}
	}
	return n
}

// LastPlan returns the plan of the set that was announced last.
func (m *Module) LastPlan() *exchange.Plan { return m.sets[len(m.sets)-1].plan }

// Measured has a device look as if it had had a rate several times just now.
func (m *Module) Measured(device int, bytesPerSecond float64) {
	s := &m.devices[device].sample
	for i := range s.last {
		s.last[i], s.at[i] = bytesPerSecond, time.Now()
	}
}

// Lose has a device be down for a peer.
func (m *Module) Lose(peer, device int) { m.setState(&m.peer(peer).paths[device], down) }

// TakeDown ends the use of a path to a peer.
func (m *Module) TakeDown(peer, device int) { m.takeDown(m.peer(peer), m.devices[device]) }

// Tell has the rank take note of a change of a path, as an endpoint does.
func (m *Module) Tell(peer, device int, what suci.Change) {
	m.changed(change{m.devices[device], idOf(peer), what})
}

// Probe probes a path to a peer.
func (m *Module) Probe(peer, device int) { m.probe(m.peer(peer), m.devices[device]) }

// Down tells whether a path is down.
func (m *Module) Down(peer, device int) bool { return m.peer(peer).paths[device].state == down }

// Up tells whether a path is up, and Doubted whether it is doubted.
func (m *Module) Up(peer, device int) bool      { return m.peer(peer).paths[device].state == up }
func (m *Module) Doubted(peer, device int) bool { return m.peer(peer).paths[device].state == doubted }

// Overdue has the time of a path come, and the rank see to it.
func (m *Module) Overdue(peer, device int) {
	m.peer(peer).paths[device].retry, m.retryAt = time.Time{}, time.Time{}
	m.tendPaths()
}

// Arrived tells whether a message waits for the next Poll.
func (m *Module) Arrived() bool { return !m.arrivals.empty() }

// News is what the keeper does when something has come.
func (m *Module) News() { m.onNews() }
