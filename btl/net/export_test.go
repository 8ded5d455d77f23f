package net

// Fail ends a device of a rank, as if it was taken out of the node. Device 0, in which the rank
// sleeps, is only cut off from all peers for a while. The rank calls it in its sleep.
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
