package protocol

import (
	"net/netip"

	"github.com/gopvas/gopvas/suci/internal/wire"
)

// Rows. The kernel hands over many datagrams in one piece, and most of them are packets of one
// block in a row. All that differs in their heads is the number. So the first of them is handled
// as any packet, and those that continue it by a comparison of heads and a copy: what a packet
// changes besides its number is done once for the row. Anything else ends the row.
//
// The next packets to come are most often those that continue the row. So the caller may have the
// kernel put them where their payloads belong (Landing). Their heads lie between the payloads
// there, so each payload is moved, by 32 bytes more than the one before it. That memory is in
// the cache by then; a copy from elsewhere would have to fetch it. No packet beyond the row
// has arrived, so nothing is lost if other datagrams come: they are taken out of the landing,
// handled by Train, and written over by what belongs there.

// row is the packet that was handled last, if another one can continue it: packets have come
// without a gap so far, and its block is being filled.
type row struct {
	lane  *receiver // nil: nothing continues it
	block *Incoming
	seq   uint64 // of the packet
	first [wire.DataHeaderSize]byte
}

// Train handles datagrams that came to the kernel at the given time from one address. All are of
// one length but the last, which may be shorter. The machine may overwrite them, and keeps
// nothing of them.
func (m *Machine) Train(now, arrived Time, from netip.AddrPort, b []byte, length int) {
	for len(b) > 0 {
		n := min(length, len(b))
		m.Datagram(now, arrived, from, b[:n:n])
		b = b[n:]
		if m.row.lane != nil {
			b = b[m.continueRow(arrived, b):]
		}
	}
}

// beginRow notes that the next packets may continue the one with the given number.
func (m *Machine) beginRow(r *receiver, in *Incoming, seq uint64) {
	if r.count == 0 && r.next == seq+1 && in.state == filling && !in.complete() && !r.peer.session.Sealed() {
		m.row.lane, m.row.block, m.row.seq = r, in, seq
	}
}

// keepHead keeps the head of the row's packet. One that carries an acknowledgement has no row.
func (m *Machine) keepHead(b []byte) {
	if m.row.lane == nil {
		return
	}
	if len(b) != wire.DataHeaderSize+m.row.block.payload {
		m.row.lane = nil
		return
	}
	copy(m.row.first[:], b)
}

// continueRow handles the packets of b that continue the row, and returns how many bytes they are.
// The last packet of a block is not among them. b may lie where the payloads belong: then each is
// moved towards the front, over nothing that is needed yet.
func (m *Machine) continueRow(arrived Time, b []byte) int {
	r, in := m.row.lane, m.row.block
	payload := in.payload
	size := wire.DataHeaderSize + payload
	most := min(len(b)/size, int(in.end()-1-r.next), int(r.limit-r.next))
	to := in.Data[int(r.next-in.begin)*payload:]
	behind := int(r.next - m.row.seq)
	n, asked := 0, false
	for ; n < most && wire.Continues(m.row.first[:], b[n*size:], behind+n); n++ {
		asked = asked || wire.Asks(b[n*size:])
		copy(to[n*payload:], b[n*size+wire.DataHeaderSize:][:payload])
	}
	m.extendRow(arrived, n, asked)
	return n * size
}

// extendRow notes that so many packets have continued the row.
func (m *Machine) extendRow(arrived Time, n int, asked bool) {
	if n == 0 {
		return
	}
	r, in := m.row.lane, m.row.block
	m.count.PacketsIn += uint64(n)
	m.count.PayloadIn += uint64(n * in.payload)
	in.got += uint32(n)
	r.next += uint64(n)
	r.high = r.next
	m.grants.arrived(r, arrived, r.next-1, n*in.payload, in.payload)
	r.schedule(arrived, in, n, asked)
}

// leastLanding is the number of packets of a block that must be left for a landing.
const leastLanding = 8

// Landing returns where the next packets are wanted if they continue the row, nil if there is no
// row. It is good until the next call of the machine.
func (m *Machine) Landing() []byte {
	r, in := m.row.lane, m.row.block
	if r == nil || in.end()-r.next < leastLanding {
		return nil
	}
	return in.Data[int(r.next-in.begin)*in.payload:]
}

// Row handles packets of one length that have come to the landing. It returns how many bytes of
// them belong there. The caller takes the others to memory of its own and hands them to Train.
func (m *Machine) Row(now, arrived Time, b []byte, length int) (taken int) {
	m.now = now
	p := m.row.lane.peer
	if length != wire.DataHeaderSize+m.row.block.payload {
		return 0
	}
	if taken = m.continueRow(arrived, b); taken > 0 {
		p.touch()
		p.hear()
	}
	return taken
}
