package protocol

import (
	"net/netip"

	"github.com/gopvas/gopvas/suci/internal/wire"
)

// batchPackets and the arena bound a batch. The longest head is an acknowledgement with a
// full bitmap.
const (
	batchPackets = 2 * quantum
	longestHead  = 1024
)

// Batch is the packets of one round of sending, as trains, which lie in its arena. The batch's
// memory is reused.
type Batch struct {
	Trains  []wire.Train
	Long    bool // it has parts of long blocks
	arena   []byte
	packets int
}

// NewBatch returns a batch for datagrams of at most packet bytes.
func NewBatch(packet int) *Batch {
	return &Batch{
		Trains: make([]wire.Train, 0, batchPackets),
		arena:  make([]byte, 0, batchPackets*max(packet, longestHead)),
	}
}

// Reset empties the batch.
func (b *Batch) Reset() {
	clear(b.Trains)
	b.Trains, b.Long, b.arena, b.packets = b.Trains[:0], false, b.arena[:0], 0
}

func (b *Batch) full() bool { return b.packets == batchPackets }

// head begins a packet; what is appended to it goes to the arena.
func (b *Batch) head() []byte { return b.arena[len(b.arena):] }

// add ends a packet that head began.
func (b *Batch) add(to netip.AddrPort, packet []byte) {
	b.arena = b.arena[:len(b.arena)+len(packet)]
	b.packets++
	if i := len(b.Trains) - 1; i >= 0 && b.Trains[i].Takes(to, len(packet)) {
		b.Trains[i].Extend(len(packet))
		return
	}
	b.Trains = append(b.Trains, wire.Train{To: to, Length: len(packet), Bytes: packet})
}

// part ends the train: the next packet begins another.
func (b *Batch) part() {
	if i := len(b.Trains) - 1; i >= 0 {
		b.Trains[i].End()
	}
}

// loosen has the network cut the last train if need be.
func (b *Batch) loosen(p *Peer) {
	if t := &b.Trains[len(b.Trains)-1]; t.Length > int(p.proven) {
		t.Loose = true
	}
}

// addRow adds n packets in a row, which were appended to what head has returned. Each is so long, but the last may
// be shorter.
func (b *Batch) addRow(p *Peer, row []byte, n, length int) {
	b.arena = b.arena[:len(b.arena)+len(row)]
	b.packets += n
	t := wire.Train{To: p.addr, Length: length, Bytes: row[:0]}
	t.Extend(len(row))
	b.Trains = append(b.Trains, t)
	b.loosen(p)
}

// packet adds a packet of a session: sealed if the session is, else as it is.
func (m *Machine) packet(b *Batch, p *Peer, head, body []byte) {
	head = append(head, body...)
	if p.session.Sealed() {
		head = head[:len(head)+gap]
		copy(head[8+gap:], head[8:])
		head = p.session.Seal(head, &m.nonce)
	}
	b.add(p.addr, head)
	b.loosen(p)
	m.count.PacketsOut++
}

// prefix begins a packet of a session.
func (p *Peer) prefix(b *Batch, kind wire.Kind, lane, flags uint8) []byte {
	return wire.Prefix{Tag: p.session.SendTag, Kind: kind, Lane: lane, Flags: flags}.Append(b.head())
}
