package protocol

import "github.com/gopvas/gopvas/suci/internal/wire"

// paceSlack is how much too early a packet may be sent: waiting for less costs more than
// the queue that the burst makes.
const paceSlack = 50 * Microsecond

// paceQuantum bounds what is sent at once: the bytes of so much time at the peer's pace.
const paceQuantum = 250 * Microsecond

// Transmit does what is due at the given time and fills the batch with what is to be
// sent. It tells whether there is more, for which the batch had no room.
func (m *Machine) Transmit(now Time, b *Batch) (more bool) {
	m.now = now
	m.timers(b)
	m.grants.share(now, m.active, m.packetSize)
	m.sendGreetings(b)
	m.sendSizes(b)
	m.sendAcks(b)
	for !b.full() {
		s := m.choose()
		if s == nil {
			return false
		}
		m.sendQuantum(b, s)
	}
	return true
}

// sendAcks sends the acknowledgements that are due, but those that data can take along.
func (m *Machine) sendAcks(b *Batch) {
	for _, p := range m.active {
		for set := p.receiving; set != 0; set = set.rest() {
			r := p.lanes[set.first()].in
			if r.ackDue > m.now || b.full() || p.carries(r) {
				continue
			}
			flags := uint8(0)
			if r.answer {
				flags |= wire.FlagAnswer
			}
			if r.refused {
				flags |= wire.FlagNack
			}
			m.fillAck(r)
			head := m.ack.Append(p.prefix(b, wire.Ack, r.lane, flags))
			for at, end := r.next, r.next+uint64(m.ack.Span); at < end; at += 64 {
				head = appendWord(head, r.word(at, end))
			}
			m.packet(b, p, head, nil)
			m.count.Acks++
		}
	}
}

func appendWord(b []byte, w uint64) []byte {
	return append(b, byte(w>>56), byte(w>>48), byte(w>>40), byte(w>>32), byte(w>>24), byte(w>>16), byte(w>>8), byte(w))
}

// fillAck makes the acknowledgement of a lane in m.ack. The sender may resend as much as
// the budget has left; the first packet always.
func (m *Machine) fillAck(r *receiver) {
	room := 0
	if !r.refused {
		room = max(1, m.grants.budget.window/m.packetSize)
	}
	r.ack(m.now, &m.ack, room)
	if m.ack.Resend > 0 {
		m.grants.budget.lose(int(m.ack.Resend) * m.packetSize)
	}
	if r.limit > r.told && r.grantAt == 0 && m.grants.senders > 1 && (r.demand > r.told || r.more) {
		r.grantEnd, r.grantAt = r.told, m.now // the sender wants this grant: measure
	}
	r.told = r.limit
}

// carries tells whether the next data packet to the peer can take the acknowledgement
// along: it is short and can be sent now.
func (p *Peer) carries(r *receiver) bool {
	if r.gap() || r.answer {
		return false
	}
	for set := p.sending; set != 0; set.remove(set.last()) {
		s := p.lanes[set.last()].out
		if !s.ready(p.machine.now) || s.lost > 0 {
			continue
		}
		o := s.block(s.next)
		return o.total == 1 && !o.void && len(o.Data)+wire.AckSize <= p.payload
	}
	return false
}

// choose returns the lane that sends next, nil if none can.
func (m *Machine) choose() (best *sender) {
	var top rank
	for _, p := range m.active {
		if p.session == nil {
			continue
		}
		for set := p.sending; set != 0; set = set.rest() {
			s := p.lanes[set.first()].out
			if !s.ready(m.now) {
				continue
			}
			mine := rank{int(s.lane) + int((m.now-s.served)/agePeriod), s.remaining()}
			if best == nil || mine.before(top) {
				best, top = s, mine
			}
		}
	}
	return best
}

// ready tells whether the lane may send a packet now.
func (s *sender) ready(now Time) bool { return s.willing(now) && s.held() <= now }

// willing is ready but for the device.
func (s *sender) willing(now Time) bool {
	p := s.peer
	return (s.lost > 0 || s.fresh() > 0) && p.paceAt <= now+paceSlack+
		p.machine.grants.slack && p.underWay*p.payload < p.control.window
}

// sendQuantum sends what the lane may send at once.
func (m *Machine) sendQuantum(b *Batch, s *sender) {
	p := s.peer
	rate := p.rate()
	most := quantum
	if rate > 0 {
		most = min(most, max(2, int(rate*float64(paceQuantum)/1e9)/p.payload))
	}
	most = min(most, 1+(p.control.window-1)/p.payload-p.underWay)
	n := 0
	for n < most && !b.full() && (s.lost > 0 || s.fresh() > 0) && s.held() <= m.now {
		if k := m.sendRow(b, s, most-n); k > 0 {
			n += k
			continue
		}
		m.sendPacket(b, s)
		n++
	}
	s.served = m.now
	p.control.sent(p.underWay * p.payload)
	if rate > 0 {
		p.paceAt = max(p.paceAt, m.now-m.grants.slack) + Time(float64(n*p.payload)*1e9/rate)
	}
}

// rate is the peer's pace in bytes per second, 0 if there is none: a quarter more than
// the window in a round trip, twice that until the first loss, and at most what the
// program allows.
func (p *Peer) rate() float64 {
	rate := 0.0
	if p.rtt.smooth > 0 {
		gain := 1.25
		if !p.control.started {
			gain = 2.5
		}
		rate = gain * float64(p.control.window) * 1e9 / float64(p.rtt.smooth)
	}
	if p.pace > 0 && (rate == 0 || rate > float64(p.pace)) {
		rate = float64(p.pace)
	}
	return rate
}

// sendPacket sends the lane's next packet: the lowest lost one, else a new one.
func (m *Machine) sendPacket(b *Batch, s *sender) {
	p := s.peer
	seq := s.next
	if s.lost > 0 {
		seq = s.nextLost()
	}
	o := s.suspect(seq, s.block(seq))
	index := int(seq - o.begin)
	var body []byte
	flags := uint8(0)
	if o.void {
		flags = wire.FlagVoid
	} else {
		body = o.Data[index*o.payload : min((index+1)*o.payload, len(o.Data))]
	}
	if o.end() < s.end {
		flags |= wire.FlagMore
	}
	h := wire.DataHeader{Short: o.short, Index: uint32(index), Seq: seq, Total: o.total, Place: o.Place}
	if s.asks() {
		flags |= wire.FlagAsk
	}
	if o.total > 1 {
		b.Long = true
		m.device.hand(m.now, len(body))
	}
	carried := m.carried(p, o, len(body))
	if carried != nil {
		flags |= wire.FlagAck
	}
	head := h.Append(p.prefix(b, wire.Data, s.lane, flags))
	if carried != nil {
		m.fillAck(carried)
		head = m.ack.Append(head)
	}
	if s.send(m.now, seq, o) {
		m.count.PayloadOut += uint64(len(body))
	} else {
		m.count.Resent++
		p.resent++
	}
	m.packet(b, p, head, body)
}

// leastRow is the number of packets from which on it is cheaper to send them in a row.
const leastRow = 4

// sendRow sends new packets of a long block in a row, most of them at most. All that differs in their
// heads is the number, so most of what sendPacket decides is decided once. It returns 0 if there is
// no such row: then sendPacket sends the next packet.
func (m *Machine) sendRow(b *Batch, s *sender, most int) (n int) {
	p, seq := s.peer, s.next
	if s.lost > 0 || most < leastRow || p.session.Sealed() {
		return 0
	}
	o := s.block(seq)
	most = min(most, s.fresh(), int(o.end()-seq), batchPackets-b.packets, wire.Cars(wire.DataHeaderSize+o.payload))
	if o.void || most < leastRow {
		return 0
	}
	flags := uint8(0)
	if o.end() < s.end {
		flags = wire.FlagMore
	}
	prefix := wire.Prefix{Tag: p.session.SendTag, Kind: wire.Data, Lane: s.lane}
	h := wire.DataHeader{Short: o.short, Index: uint32(seq - o.begin), Seq: seq, Total: o.total, Place: o.Place}
	from := int(h.Index) * o.payload
	to := from
	row := b.head()
	for ; n < most && m.device.free <= m.now; n++ {
		prefix.Flags = flags
		if s.asks() {
			prefix.Flags |= wire.FlagAsk
		}
		size := min(o.payload, len(o.Data)-to)
		row = append(h.Append(prefix.Append(row)), o.Data[to:to+size]...)
		to += size
		m.device.hand(m.now, size)
		s.send(m.now, h.Seq, o)
		h.Index++
		h.Seq++
	}
	b.addRow(p, row, n, wire.DataHeaderSize+o.payload)
	b.Long = true
	m.count.PacketsOut += uint64(n)
	m.count.PayloadOut += uint64(to - from)
	return n
}

// asks tells whether the lane's next packet asks for an acknowledgement at once: it is the
// last one that the window or the limit allows, or a quarter of the window was sent since
// the last one that asked, or since nothing was under way.
func (s *sender) asks() bool {
	p := s.peer
	s.unasked++
	bytes := s.unasked * p.payload
	switch {
	case (p.underWay+1)*p.payload >= p.control.window, s.next+1 >= s.limit && s.limit < s.end:
	case s.unasked >= mostUnacked, s.unasked >= ackEvery && 4*bytes >= p.control.window:
	default:
		return false
	}
	s.unasked = 0
	return true
}

// carried returns the lane whose acknowledgement goes along with a packet, or nil.
func (m *Machine) carried(p *Peer, o *Outgoing, length int) *receiver {
	if o.total != 1 || length+wire.AckSize > p.payload {
		return nil
	}
	for set := p.receiving; set != 0; set = set.rest() {
		if r := p.lanes[set.first()].in; r.ackDue != Never && !r.gap() && !r.answer {
			return r
		}
	}
	return nil
}
