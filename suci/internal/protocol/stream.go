package protocol

// Streams tells whether a block with a place is being received, or has packets that were not sent
// yet.
func (m *Machine) Streams() bool {
	for _, p := range m.active {
		for set := p.sending; set != 0; set = set.rest() {
			if s := p.lanes[set.first()].out; s.next < s.end && s.block(s.next).Place != 0 {
				return true
			}
		}
		for set := p.receiving; set != 0; set = set.rest() {
			r := p.lanes[set.first()].in
			if n := r.blocks.len(); n > 0 && r.blocks.at(n-1).Place != 0 && r.blocks.at(n-1).state == filling {
				return true
			}
		}
	}
	return false
}

// Payload is how many bytes of blocks have come and gone.
func (m *Machine) Payload() uint64 { return m.count.PayloadIn + m.count.PayloadOut }

// PacketSize is how long the packets of long blocks are, as of the last one that was begun, or the last session.
func (m *Machine) PacketSize() int { return m.packetSize }

// Acknowledged is how many bytes of blocks peers have acknowledged, also of blocks that are not done.
// Unlike other calls, it may be called at any time, by anybody.
func (m *Machine) Acknowledged() uint64 { return m.all.acked.Load() }

// Rate is the highest of the last rates in bytes per second at which bytes came to all peers together; 0: not known.
// Like Acknowledged, it may be called at any time.
func (m *Machine) Rate() float64 { return float64(m.all.highest.Load()) }

// SetSlack says how late Transmit may be called although it has something to do. As much is sent
// early, and what is late is made up for. The default is 0.
func (m *Machine) SetSlack(t Time) { m.grants.slack, m.device.seldom = t, t > 0 }
