package protocol

import (
	"net/netip"

	"github.com/gopvas/gopvas/suci/wire"
)

// Rows. The kernel hands over many datagrams in one piece, and most of them are packets of one
// block in a row. All that differs in their heads is the number. So the first of them is handled
// as any packet, and those that continue it by a comparison of heads and a copy: what a packet
// changes besides its number is done once for the row. Anything else ends the row.

// row is the packet that was handled last, if another one can continue it: packets have come
// without a gap so far, and its block is being filled.
type row struct {
	lane  *receiver // nil: nothing continues it
	block *Incoming
}

// Train handles datagrams that came to the kernel at the given time from one address. All are of
// one length but the last, which may be shorter. The machine may overwrite them, and keeps
// nothing of them.
func (m *Machine) Train(now, arrived Time, from netip.AddrPort, b []byte, length int) {
	for len(b) > 0 {
		n := min(length, len(b))
		m.Datagram(now, arrived, from, b[:n:n])
		if m.row.lane != nil && len(b) > n {
			n += m.continueRow(arrived, b[:n], b[n:])
		}
		b = b[n:]
	}
}

// beginRow notes that the next packets may continue the one with the given number.
func (m *Machine) beginRow(r *receiver, in *Incoming, seq uint64) {
	if r.count == 0 && r.next == seq+1 && in.state == filling && !in.complete() && !r.peer.session.Sealed() {
		m.row = row{r, in}
	}
}

// continueRow handles the packets of rest that continue the first one, and returns how many
// bytes they are. The last packet of a block is not among them.
func (m *Machine) continueRow(arrived Time, first, rest []byte) int {
	r, in := m.row.lane, m.row.block
	p := r.peer
	size := wire.DataHeaderSize + p.payload
	if len(first) != size {
		return 0
	}
	most := min(len(rest)/size, int(in.end()-1-r.next), int(r.limit-r.next))
	to := in.Data[int(r.next-in.begin)*p.payload:]
	n := 0
	for ; n < most && wire.Continues(first, rest[n*size:], n+1); n++ {
		copy(to[n*p.payload:], rest[n*size+wire.DataHeaderSize:][:p.payload])
	}
	if n > 0 {
		m.count.PacketsIn += uint64(n)
		m.count.PayloadIn += uint64(n * p.payload)
		in.got += uint32(n)
		r.next += uint64(n)
		r.high = r.next
		m.flow(r, arrived, r.next-1, n)
		r.schedule(arrived, in, n, false)
	}
	return n * size
}
