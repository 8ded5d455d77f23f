package protocol

import "github.com/gopvas/gopvas/suci/internal/wire"

// data handles a data packet that arrived at the given time. The cases are the paper's:
// in order or at least new: keep it (R1); no memory: drop it and say so (R2); old:
// acknowledge again (R3). A packet behind a gap (R4) is kept, and the gap asked for.
func (m *Machine) data(p *Peer, arrived Time, prefix wire.Prefix, h *wire.DataHeader, body []byte) {
	r := p.receiver(prefix.Lane)
	switch {
	case h.Seq < r.next || h.Seq < r.high && r.has(h.Seq):
		m.count.Duplicates++
		r.reorder = min(2*r.reorder, mostReorder)
		r.due(m.now)
		return
	case h.Seq >= r.limit:
		m.count.Overrun++
		return
	}
	in, verdict := r.find(prefix.Flags, h)
	switch verdict {
	case broken:
		m.count.Malformed++
		return
	case noMemory:
		m.count.Refused++
		r.refuse(h)
		return
	}
	in.store(h, body)
	gap := r.gap()
	r.announce(prefix.Flags, in.end())
	r.arrive(h.Seq)
	m.grants.arrived(r, arrived, h.Seq, len(body), h.Payload)
	r.schedule(arrived, in, 1, gap || prefix.Flags&wire.FlagAsk != 0)
	m.beginRow(r, in, h.Seq)
	r.handOver()
}

// announce notes what a new packet tells of what the sender has.
func (r *receiver) announce(flags uint8, end uint64) {
	more := flags&wire.FlagMore != 0
	switch {
	case end > r.demand:
		r.demand, r.more = end, more
	case end == r.demand: // packets of a block may come in any order
		r.more = r.more || more
	}
}

// schedule decides when packets of a block are acknowledged: at once if that is urgent or the
// sender may wait for it, else together with others or with a packet that goes there anyway.
func (r *receiver) schedule(arrived Time, in *Incoming, packets int, urgent bool) {
	if r.unacked == 0 {
		r.oldest = arrived
	}
	r.unacked += packets
	r.newest = arrived
	switch {
	case urgent || r.gap() || in.state == voided, (in.total > 1 || in.Place != 0) && in.complete(),
		r.unacked >= mostUnacked:
		r.due(r.peer.machine.now)
	default:
		r.due(r.oldest + ackDelay)
	}
}

// An acknowledgement costs either end a system call. So the sender asks for one after a
// quarter of its window, but not more often than after each ackEvery packets; the receiver
// sends one after mostUnacked packets at the latest. One is sent per batch of packets
// received, however many they are.
const (
	ackEvery    = 8
	mostUnacked = 4 * quantum
)

// refuse notes a packet for which there was no memory.
func (r *receiver) refuse(h *wire.DataHeader) {
	if h.Begin() > r.next {
		r.crowded = true
	} else {
		r.refused = true
	}
	r.peer.machine.refusing = true
	r.probed = max(r.probed, h.Seq+1)
	r.due(r.peer.machine.now)
}

// readmit asks again for what was refused.
func (r *receiver) readmit() {
	r.refused, r.crowded = false, false
	r.due(r.peer.machine.now)
}

type verdict uint8

const (
	good verdict = iota
	broken
	noMemory
)

// find returns the block of a packet, and begins it if it is new.
func (r *receiver) find(flags uint8, h *wire.DataHeader) (*Incoming, verdict) {
	begin := h.Begin()
	if begin < r.deliver {
		return nil, broken
	}
	i := r.blocks.len()
	for i > 0 && r.blocks.at(i-1).begin >= begin {
		i--
	}
	if i < r.blocks.len() && r.blocks.at(i).begin == begin {
		in := r.blocks.at(i)
		if in.total != h.Total || in.short != h.Short ||
			in.state != voided && flags&wire.FlagVoid == 0 && in.payload != h.Payload {
			return nil, broken
		}
		if flags&wire.FlagVoid != 0 && in.state != voided {
			r.peer.machine.void(in)
		}
		return in, good
	}
	end := begin + uint64(h.Total)
	if i > 0 && r.blocks.at(i-1).end() > begin || i < r.blocks.len() && r.blocks.at(i).begin < end {
		return nil, broken
	}
	in := r.peer.machine.begin(r, flags, h)
	if in == nil {
		return nil, noMemory
	}
	r.blocks.insert(i, in)
	return in, good
}

// store copies the payload of a packet to its place.
func (in *Incoming) store(h *wire.DataHeader, body []byte) {
	in.got++
	if in.state == filling {
		copy(in.Data[int(h.Index)*in.payload:], body)
	}
}

// handOver delivers the blocks at the front that are complete.
func (r *receiver) handOver() {
	m := r.peer.machine
	for r.blocks.len() > 0 {
		in := r.blocks.at(0)
		if in.begin != r.deliver || !in.complete() {
			return
		}
		r.blocks.pop()
		r.deliver = in.end()
		m.unlate(in)
		if in.state == filling {
			m.count.BlocksIn++
		} else {
			m.count.BlocksBad++
		}
		if in.state == voided && in.Place == 0 {
			m.Free(in) // nobody knows of it
			continue
		}
		m.handler.Deliver(in)
	}
}
