package protocol

import "github.com/gopvas/gopvas/suci/internal/wire"

// receiver is the receiving half of a lane: which packets have arrived, the blocks they
// belong to, and what the sender may send. A lane on which nothing is expected has none;
// its numbers are kept in the peer.
//
//	next            high         limit
//	 |---x--xx-x-----|------------|
//	 some have arrived  granted, nothing has been seen
type receiver struct {
	peer    *Peer
	lane    uint8
	next    uint64 // all packets before have arrived
	high    uint64 // one past the highest packet that arrived
	limit   uint64 // what the sender may send ends here
	demand  uint64 // the sender has packets up to here, or more
	deliver uint64 // the first packet of the first block that was not handed over
	probed  uint64 // the sender says that it has sent all before
	more    bool   // blocks wait behind demand
	refused bool   // a packet was refused for lack of memory
	crowded bool   // likewise, but of a late block only: those before it have memory, and are asked for

	count   int // packets that arrived beyond next
	bits    [maxWindow / 64]uint64
	blocks  deque[*Incoming] // by begin, disjoint
	reorder uint64           // packets by which one may be late and is not lost

	unacked  int    // packets since the last acknowledgement
	oldest   Time   // when the first of them arrived
	newest   Time   // when the last packet arrived
	ackDue   Time   // Never: none is due
	answer   bool   // the acknowledgement answers a probe
	waiting  Time   // since when the lane has been waiting for a grant
	told     uint64 // the limit of the last acknowledgement
	grantEnd uint64
	grantAt  Time // the grant from grantEnd on was sent then; 0: not measuring
}

// startReorder is the first guess of how late packets come; spurious requests double it.
const (
	startReorder = 3
	mostReorder  = 256
)

func (r *receiver) has(seq uint64) bool {
	return r.bits[seq/64%uint64(len(r.bits))]>>(seq%64)&1 != 0
}

func (r *receiver) mark(seq uint64) { r.bits[seq/64%uint64(len(r.bits))] |= 1 << (seq % 64) }

func (r *receiver) unmark(seq uint64) { r.bits[seq/64%uint64(len(r.bits))] &^= 1 << (seq % 64) }

// arrive notes a packet and moves next behind what is complete.
func (r *receiver) arrive(seq uint64) {
	r.high = max(r.high, seq+1)
	r.mark(seq)
	r.count++
	r.advance()
}

// advance moves next over packets that have arrived and over blocks given up.
func (r *receiver) advance() {
	for {
		for r.count > 0 && r.has(r.next) {
			r.unmark(r.next)
			r.count--
			r.next++
		}
		void := r.voidAt(r.next)
		if void == nil {
			break
		}
		for ; r.next < void.end() && r.next < r.high; r.next++ {
			if r.has(r.next) {
				r.unmark(r.next)
				r.count--
			}
		}
		r.next = void.end()
	}
	r.high, r.limit = max(r.high, r.next), max(r.limit, r.next)
	r.demand = max(r.demand, r.high)
}

// voidAt finds a block given up that contains a packet that did not arrive.
func (r *receiver) voidAt(seq uint64) *Incoming {
	for i := range r.blocks.len() {
		in := r.blocks.at(i)
		if in.begin > seq {
			return nil
		}
		if in.state == voided && seq < in.end() {
			return in
		}
	}
	return nil
}

// outstanding is the number of packets that are granted and did not arrive, as far as
// the sender has packets to send for the grant.
func (r *receiver) outstanding() int {
	top := r.limit
	if !r.more {
		top = min(top, r.demand)
	}
	return max(0, int(top-r.next)-r.count)
}

// horizon is the number up to which missing packets are taken as lost.
func (r *receiver) horizon() uint64 {
	late := r.next
	if r.high > r.reorder {
		late = r.high - r.reorder
	}
	return max(r.next, late, min(r.probed, r.limit))
}

// missing counts the packets before the horizon that did not arrive.
func (r *receiver) missing(horizon uint64) int {
	if r.count == 0 {
		return int(horizon - r.next)
	}
	n := 0
	for seq := r.next; seq < horizon; seq++ {
		if !r.has(seq) {
			n++
		}
	}
	return n
}

// gap tells whether a packet has not arrived although a later one has.
func (r *receiver) gap() bool { return r.count > 0 || r.probed > r.next }

// due makes an acknowledgement due.
func (r *receiver) due(at Time) {
	if at < r.ackDue {
		r.ackDue = at
		r.peer.touch()
	}
}

// ack writes what is to be told of the lane. budget is the number of packets that may
// be asked for again.
func (r *receiver) ack(now Time, a *wire.AckHeader, budget int) {
	span := max(r.high, min(r.probed, r.limit)) - r.next
	if !r.gap() {
		span = 0
	}
	*a = wire.AckHeader{
		Next: r.next, Limit: r.limit, Lane: r.lane,
		Queue: uint32(min(r.peer.held>>10, 1<<31)),
		Span:  uint16(min(span, maxWindow)),
	}
	if span > 0 {
		a.Resend = uint16(min(r.missing(r.horizon()), budget, int(a.Span)))
	}
	a.Delay = wire.DelayUnknown
	if d := now - r.newest; r.newest != 0 && d < wire.DelayUnknown {
		a.Delay = uint32(max(d, 0))
	}
	r.unacked, r.ackDue, r.answer = 0, Never, false
	if r.probed <= r.next {
		r.probed = 0
	}
}

// word is 64 bits of the bitmap from packet seq on, of which only the packets before
// end count.
func (r *receiver) word(seq, end uint64) (w uint64) {
	n := uint64(len(r.bits))
	shift := seq % 64
	w = r.bits[seq/64%n] >> shift
	if shift > 0 {
		w |= r.bits[(seq/64+1)%n] << (64 - shift)
	}
	if end-seq < 64 {
		w &= 1<<(end-seq) - 1
	}
	return w
}

// idle tells whether the lane needs no receiver.
func (r *receiver) idle() bool {
	return r.blocks.len() == 0 && r.count == 0 && r.ackDue == Never && r.demand <= r.next && !r.more &&
		!r.refused && !r.crowded && r.probed <= r.next
}
