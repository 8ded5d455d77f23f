package protocol

import (
	"slices"

	"github.com/gopvas/gopvas/suci/internal/seal"
	"github.com/gopvas/gopvas/suci/internal/wire"
)

// path is what a peer knows of the packet length of its path. Each direction of a session finds by itself the longest
// packet that its path carries, as in RFC 8899. It sends questions, which are packets of a given length without data
// (wire.Size), and the other end answers those that arrive. ICMP messages are neither needed nor trusted.
//
// Invariant: a packet that is too long for the path delays a block, but does not stop the session.
//
//   - A block is cut into packets when the first length is known. So the first block of a session waits for about one
//     round trip.
//   - The packets of a block keep their length once one was sent. If the path carries this length no longer, because
//     a route or a device has changed, they are sent loosely: the network may fragment them, which is slow but works.
//     Blocks of which no packet was sent are cut anew. Where a switch drops what is too long, nothing cuts it: then the
//     block fails with ErrLost.
//   - A packet that is not loose must not be fragmented. If one is lost several times, all long packets are sent
//     loosely until a search has found what the path carries.
//
// A search first asks for the greatest length, which nearly all paths carry. If no answer comes, it asks for all usual
// lengths at once, and takes the greatest one that is answered. Then it looks slowly for a greater one: a question may
// have been lost, or the length of the path may be none of the usual ones.
type path struct {
	payload int    // bytes of a block in a packet
	size    uint16 // length of the packets of blocks that are cut from now on; 0: not known
	proven  uint16 // a longer packet is sent loosely
	theirs  uint16 // the longest packet that the peer takes
	search  *search
	raiseAt Time            // if a packet is sent then or later, the next search is due
	asked   wire.SizeHeader // the peer's longest question, to be answered; Size 0: none
}

// search is a search for the length of packets.
type search struct {
	number uint32 // of its questions
	step   step
	at     Time // when the wait for answers ends
	gap    Time // how long that wait is
	least  int  // the greatest length that was answered; 0: none
	most   int  // the greatest length that is worth a question
	size   int  // the length that is asked for between least and most; 0: none yet
	tries  int  // questions of this step, or for size
}

// The steps of a search.
//
//	greatest --no answer--> usual --answers--> between --> over
//	    |                   ^   |
//	 an answer: over        +-alive, until an answer comes
type step uint8

const (
	greatest step = iota // asks for the greatest length
	usual                // asks for all usual lengths
	alive                // asks for the least length: the peer itself may not answer
	between              // asks for lengths greater than the one found
)

const (
	firstAnswer = 5 * Millisecond // the first wait for answers
	sizeTries   = 2
	nearSize    = 8            // a search ends when least and most differ by less
	raisePeriod = 30 * Second  // from the end of a search to the next one
	mostUnsized = patience + 2 // unanswered questions, in a third of a second, until the session is in doubt
	mostLosses  = 3            // losses of one packet until its length is in doubt

	mostLooseLosses = 30 // losses of one packet that is sent loosely until its block is given up
)

// usualSizes are the lengths of datagrams that many paths carry: of jumbo frames, FDDI, Ethernet, PPPoE, tunnels and
// overlay networks, and the least MTU of IPv6.
var usualSizes = []int{
	8972, 8952, 4324, 1472, 1464, 1452, 1444, 1422, 1402, 1372, 1332, 1252, 1232, 972, wire.MinPacket,
}

// overhead is how many bytes encryption adds to a packet of the session.
func (p *Peer) overhead() int {
	if p.session.Sealed() {
		return seal.Overhead
	}
	return 0
}

// setSize sets the length of packets to size, which the path carries. Blocks of which no packet was sent are cut anew.
func (p *Peer) setSize(size int) {
	first := p.size == 0
	p.size, p.proven = uint16(size), uint16(size)
	p.payload = size - wire.DataHeaderSize - p.overhead()
	if first {
		p.machine.packetSize = size
		p.control = p.machine.config.newSendControl(size)
		p.admit()
		return
	}
	for set := p.sending; set != 0; set = set.rest() {
		p.lanes[set.first()].out.recut()
	}
}

// admit queues the blocks that have waited for the first length.
func (p *Peer) admit() {
	m := p.machine
	for p.pending.len() > 0 {
		o := p.pending.pop()
		if o.Place == 0 && uint64(len(o.Data)) > p.longest {
			m.count.BlocksFailed++
			o.finish(ErrTooLong)
			continue
		}
		p.sender(o.Priority).queue(o)
	}
}

// recut cuts those blocks anew of which no packet was sent.
func (s *sender) recut() {
	end := s.next
	for i := range s.blocks.len() {
		o := s.blocks.at(i)
		if o.begin >= s.next {
			o.begin = end
			if !o.void {
				o.cut(s.peer.payload)
			}
		}
		end = o.end()
		s.end = end
	}
}

// cut divides a block into packets.
func (o *Outgoing) cut(payload int) {
	packets := max(1, (len(o.Data)+payload-1)/payload)
	o.total, o.payload = uint32(packets), payload
	o.short = uint16(packets*payload - len(o.Data))
}

// look begins a search with a step.
func (p *Peer) look(first step) {
	m := p.machine
	most := min(m.config.Packet, int(p.theirs))
	if m.config.Longest != nil {
		most = min(most, m.config.Longest(p.addr))
	}
	m.searches++
	p.search = &search{number: m.searches, step: first, at: m.now, gap: firstAnswer, most: max(most, wire.MinPacket)}
	p.touch()
}

// doubt sends long packets loosely until a search has found what the path carries.
func (p *Peer) doubt() {
	p.proven = min(p.proven, wire.MinPacket)
	p.look(greatest)
}

// suspect is called before a packet is sent. If the packet was lost several times, its length may be the cause. If it
// is lost many times more, although it is sent loosely and the path carries shorter ones, nothing cuts it into
// fragments: its block is given up. suspect returns the block that the packet is of then.
func (s *sender) suspect(seq uint64, o *Outgoing) *Outgoing {
	p := s.peer
	if seq == s.next || s.flight(seq).times < mostLosses || p.search != nil || o.void {
		return o
	}
	switch length := wire.DataHeaderSize + o.payload + p.overhead(); {
	case length > wire.MinPacket && length <= int(p.proven):
		p.doubt()
	case length > int(p.size) && s.flight(seq).times >= mostLooseLosses:
		s.giveUp(o, ErrLost)
		return s.block(seq)
	}
	return o
}

// Shrink is called when a device has refused packets that are too long for it now.
func (m *Machine) Shrink(now Time) {
	m.now = now
	for _, p := range m.active {
		if p.session == nil || m.config.Longest == nil || int(p.proven) <= m.config.Longest(p.addr) {
			continue // it has refused a question, or packets to another peer
		}
		p.doubt()
		if int(p.size) > p.search.most {
			p.setSize(p.search.most)
			p.proven = wire.MinPacket
		}
	}
}

// sendSizes asks the questions that are due, and answers those of peers.
func (m *Machine) sendSizes(b *Batch) {
	for _, p := range m.active {
		if p.session == nil || b.full() {
			continue
		}
		if p.asked.Size != 0 {
			m.packet(b, p, p.asked.Append(p.prefix(b, wire.Size, 0, wire.FlagAnswer)), nil)
			p.asked.Size = 0
		}
		switch {
		case p.search != nil && p.search.at <= m.now:
			m.goOn(b, p)
		case p.search == nil && p.raiseAt <= m.now && p.sending != 0:
			p.look(between)
			p.search.least = int(p.size)
		}
	}
}

// goOn goes on with a search when its questions were answered, or the wait for answers is over.
func (m *Machine) goOn(b *Batch, p *Peer) {
	s := p.search
	s.turn(p)
	switch {
	case s.step == between && !s.choose():
		p.found()
		return
	case s.step != between && !p.busy() && p.contact.silent():
		p.search, p.proven = nil, p.size // nothing is to be sent, and the peer does not answer
		return
	}
	s.at = m.now + max(s.gap, 2*p.rtt.smooth)
	switch s.step {
	case greatest:
		m.askSize(b, p, s.most)
	case alive:
		m.askSize(b, p, wire.MinPacket)
	case between:
		m.askSize(b, p, s.size)
		return
	case usual:
		m.askSize(b, p, s.most)
		for _, size := range usualSizes {
			if size < s.most {
				m.askSize(b, p, size)
			}
		}
	}
	if p.ask(); p.contact.unanswered >= mostUnsized && p.busy() {
		p.open()
	}
}

// turn changes to the next step if this one is over.
func (s *search) turn(p *Peer) {
	switch {
	case s.step == greatest && s.tries > 0:
		s.step = usual
	case s.step == usual && s.least == 0:
		s.step = alive
	case s.step == alive && s.least > 0:
		s.step = usual
	case s.step == usual:
		s.step, s.tries, s.gap = between, 0, firstAnswer
		if i := slices.IndexFunc(usualSizes, func(n int) bool { return n <= s.least }); i > 0 {
			s.most = min(s.most, usualSizes[i-1])
		}
		p.setSize(s.least)
	}
	if s.tries++; s.step != between && s.tries > 1 {
		s.gap = min(2*s.gap, maxProbe)
	}
}

// choose chooses the next length of step between. It returns false if there is none.
func (s *search) choose() bool {
	asked := s.size > s.least
	if asked && s.tries <= sizeTries {
		return true
	}
	if asked {
		s.most = s.size - 1
	}
	if s.most-s.least < nearSize {
		return false
	}
	if s.size == 0 {
		s.size = s.most // most likely
	} else {
		s.size = (s.least + s.most + 1) / 2
	}
	s.tries = 1
	return true
}

// found ends a search.
func (p *Peer) found() {
	p.search, p.raiseAt = nil, p.machine.now+raisePeriod
}

// askSize asks whether the path carries so many bytes.
func (m *Machine) askSize(b *Batch, p *Peer, size int) {
	if b.full() {
		return // the question counts as lost
	}
	h := wire.SizeHeader{Number: p.search.number, Size: uint16(size)}
	head := h.Append(p.prefix(b, wire.Size, 0, 0))
	b.part()
	m.packet(b, p, append(head, zeros[:size-p.overhead()-len(head)]...), nil)
	b.Trains[len(b.Trains)-1].Loose = false
	b.part()
}

var zeros [1 << 16]byte

// sized takes a question, or an answer.
func (p *Peer) sized(flags uint8, h wire.SizeHeader) {
	if flags&wire.FlagAnswer == 0 {
		if h.Number != p.asked.Number || h.Size >= p.asked.Size {
			p.asked = h
		}
		if p.search != nil && p.search.tries == 0 {
			p.search.at = p.machine.now
		}
		return
	}
	s, size := p.search, int(h.Size)
	if s == nil || h.Number != s.number || size <= s.least || size < wire.MinPacket || size > p.machine.config.Packet {
		return // of an earlier search, or known
	}
	s.least, s.most = size, max(s.most, size)
	switch {
	case s.step == between:
		p.setSize(size)
		s.at = p.machine.now
	case size == s.most:
		p.setSize(size)
		p.found()
	case s.step == alive:
		s.at = p.machine.now
	}
}
