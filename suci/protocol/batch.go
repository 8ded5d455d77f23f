package protocol

import (
	"net/netip"

	"github.com/gopvas/gopvas/suci/wire"
)

// batchPackets and the arena bound a batch. The longest head is an acknowledgement with a
// full bitmap; a sealed packet and a greeting are all head.
const (
	batchPackets = 2 * quantum
	longestHead  = 1024
	copiedBody   = 256 // bodies up to this length are copied
)

// Batch is the packets of one round of sending. Its memory is reused.
type Batch struct {
	Packets []wire.Datagram
	arena   []byte
}

// NewBatch returns a batch for datagrams of at most packet bytes.
func NewBatch(packet int) *Batch {
	return &Batch{
		Packets: make([]wire.Datagram, 0, batchPackets),
		arena:   make([]byte, 0, batchPackets*max(packet, longestHead)),
	}
}

// Reset empties the batch.
func (b *Batch) Reset() {
	clear(b.Packets)
	b.Packets, b.arena = b.Packets[:0], b.arena[:0]
}

func (b *Batch) full() bool { return len(b.Packets) == cap(b.Packets) }

// head begins a packet; what is appended to it goes to the arena.
func (b *Batch) head() []byte { return b.arena[len(b.arena):] }

// add ends a packet that head began.
func (b *Batch) add(to netip.AddrPort, head, body []byte) {
	b.arena = b.arena[:len(b.arena)+len(head)]
	b.Packets = append(b.Packets, wire.Datagram{To: to, Head: head[:len(head):len(head)], Body: body})
}

// packet adds a packet of a session: sealed if the session is, else as it is.
func (m *Machine) packet(b *Batch, p *Peer, head, body []byte) {
	if p.session.Sealed() {
		head = append(head, body...)
		body = nil
		head = head[:len(head)+gap]
		copy(head[8+gap:], head[8:])
		head = p.session.Seal(head, &m.nonce)
	} else if len(body) <= copiedBody {
		head, body = append(head, body...), nil // cheaper than to have the kernel gather it
	}
	b.add(p.addr, head, body)
	p.spoke = m.now
	m.count.PacketsOut++
}

// prefix begins a packet of a session.
func (p *Peer) prefix(b *Batch, kind wire.Kind, lane, flags uint8) []byte {
	return wire.Prefix{Tag: p.session.SendTag, Kind: kind, Lane: lane, Flags: flags}.Append(b.head())
}
