package protocol

import "github.com/gopvas/gopvas/suci/internal/wire"

// Memory for incoming blocks. A block gets its memory with its first packet, so a block
// that is begun can always be completed. Blocks whose predecessors have not been seen
// ("late" ones) get at most half of the memory: the predecessors need some, and nothing
// behind them can be delivered before they are. The longest block a peer may send
// without a place is at most half of the memory of a peer.
//
// SetMemory may make the memory less than what is held. Then late blocks may have more than half of it, until their
// predecessors have come. So blocks that are not late get half of it however much late ones have: what they hold is
// delivered and read without late blocks, and then the longest block fits. The sum is at most the limit, or half of it
// and what late blocks had when it was lowered.

// placeKey names a buffer of the program for one block of one peer.
type placeKey struct {
	from  ID
	place uint32
}

// Expect makes the block that a peer sends to a place be received into buf. The number
// is used up by the block's first packet. It must not be 0 or be expected already.
func (m *Machine) Expect(from ID, place uint32, buf []byte) {
	m.places[placeKey{from, place}] = buf
}

// Expects tells whether a place waits for its block.
func (m *Machine) Expects(from ID, place uint32) bool {
	_, ok := m.places[placeKey{from, place}]
	return ok
}

// Forget takes a place back. It tells whether the place was still unused: if not, the
// buffer belongs to the machine until the block is delivered.
func (m *Machine) Forget(from ID, place uint32) bool {
	key := placeKey{from, place}
	_, unused := m.places[key]
	delete(m.places, key)
	return unused
}

// begin makes the Incoming of a packet's block, nil if there is no memory for it.
func (m *Machine) begin(r *receiver, flags uint8, h *wire.DataHeader) *Incoming {
	p := r.peer
	late := h.Begin() > r.next
	length := h.BlockLength()
	buf, placed := []byte(nil), false
	if h.Place != 0 {
		buf, placed = m.places[placeKey{p.id, h.Place}]
		if !placed && m.config.Locate != nil && flags&wire.FlagVoid == 0 {
			buf, placed = m.config.Locate(p.id, h.Place, length), true
		}
	}
	keep := flags&wire.FlagVoid == 0 && !placed && length <= m.longest
	if keep && !m.affords(p, footprint(length), late) {
		return nil
	}
	in := m.mem.block()
	*in = Incoming{From: p.id, Priority: r.lane, Place: h.Place, peer: p, begin: h.Begin(), total: h.Total,
		short: h.Short, payload: h.Payload}
	if h.Total > 1 && h.Payload > 0 {
		m.packetSize = wire.DataHeaderSize + h.Payload
	}
	if placed {
		delete(m.places, placeKey{p.id, h.Place})
	} else if length <= m.longest {
		in.Place = 0
	}
	switch {
	case flags&wire.FlagVoid != 0:
		in.state, in.Err = voided, ErrAbandoned
		if !placed {
			in.Place = 0
		}
	case keep:
		m.hold(p, in, length, late)
	case len(buf) < length:
		in.state, in.Err = skipped, ErrPlace
	default:
		in.Data = buf[:length]
	}
	return in
}

// affords tells whether the memory has room for a block.
func (m *Machine) affords(p *Peer, n int, late bool) bool {
	if late && (m.mem.late+n > m.mem.limit/2 || p.late+n > m.config.PeerMemory/2) {
		return false
	}
	fits := func(held, late, limit int) bool { return held+n <= limit || held-late+n <= limit/2 }
	return fits(m.mem.held, m.mem.late, m.mem.limit) && fits(p.held, p.late, m.config.PeerMemory)
}

func (m *Machine) hold(p *Peer, in *Incoming, length int, late bool) {
	in.buffer = m.mem.get(length)
	in.Data = in.buffer
	p.held += cap(in.buffer)
	if late {
		in.late = true
		m.mem.late += cap(in.buffer)
		p.late += cap(in.buffer)
	}
}

// unlate notes that all before a block has been delivered, or that it is dropped.
func (m *Machine) unlate(in *Incoming) {
	if in.late {
		in.late = false
		m.mem.late -= cap(in.buffer)
		in.peer.late -= cap(in.buffer)
	}
}

// void drops the contents of a block that its sender has given up.
func (m *Machine) void(in *Incoming) {
	m.unlate(in)
	m.releaseBuffer(in)
	in.state, in.Err, in.Data = voided, ErrAbandoned, nil
}

func (m *Machine) releaseBuffer(in *Incoming) {
	if in.buffer != nil {
		in.peer.held -= cap(in.buffer)
		m.mem.put(in.buffer)
		in.buffer = nil
	}
}

// Free takes back a block that was delivered. It tells whether memory was short, so that
// senders may be allowed more now.
func (m *Machine) Free(in *Incoming) (short bool) {
	if in.peer == nil {
		return false
	}
	pressed := m.mem.held > m.mem.limit*3/4 || in.peer.held > m.config.PeerMemory*3/4
	m.releaseBuffer(in)
	m.mem.recycle(in)
	if pressed {
		m.grants.hurry()
	}
	return m.readmit() || pressed
}

// SetMemory changes how many bytes of blocks are held for one peer, and in all. For a peer they are no less than twice
// the longest block that it takes, which peers know.
func (m *Machine) SetMemory(peer, all int) {
	m.config.PeerMemory = peer
	m.mem.bound(all)
	m.grants.hurry()
	m.readmit()
}

// readmit admits the lanes again that were refused for want of memory, as far as there is some. It tells whether
// there were any.
func (m *Machine) readmit() bool {
	if !m.refusing {
		return false
	}
	m.refusing = false
	for _, p := range m.active {
		for set := p.receiving; set != 0; set = set.rest() {
			r := p.lanes[set.first()].in
			switch {
			case !r.refused && !r.crowded:
			case m.affords(p, smallBuffer, false):
				r.readmit()
			default:
				m.refusing = true
			}
		}
	}
	return true
}

// drop forgets the blocks of a lane whose session has ended.
func (r *receiver) drop() {
	m := r.peer.machine
	m.row.lane = nil
	for r.blocks.len() > 0 {
		in := r.blocks.pop()
		m.unlate(in)
		m.releaseBuffer(in)
		if in.Place != 0 && in.state == filling {
			in.Err, in.Data, in.state = ErrAbandoned, nil, voided
			m.handler.Deliver(in) // whoever expects it must know
			continue
		}
		m.mem.recycle(in)
	}
}
