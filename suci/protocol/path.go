package protocol

import (
	"slices"

	"github.com/gopvas/gopvas/suci/seal"
	"github.com/gopvas/gopvas/suci/wire"
)

// How long the packets to a peer are. Each direction of a session finds out for itself what its path carries, as in
// RFC 8899: it sends packets of some length that say nothing (wire.Size), and the peer answers those that come.
// Messages of routers are not needed, and not believed. No block waits for a packet that is too long:
//
//   - Blocks are cut when the first length is known. So the first of a session waits for about a round trip.
//   - The packets of a block stay as long as they are. If the path carries no more such ones, because its route
//     or a device has changed, they go loosely: the network may cut them into fragments, which is slow and works.
//     Blocks of which nothing was sent are cut anew.
//   - All other packets must not be cut. If one is lost several times, all long packets go loosely until it is known
//     whether the path still carries them.
//
// A search asks for the greatest length first, which nearly always does. If no answer comes it asks for
// all usual lengths at once, and takes the greatest that is answered. Then it looks, without haste,
// whether a greater one is carried, too: a question may have been lost, and the length may be an unusual one.
type path struct {
	payload int    // bytes of a block in a packet
	size    uint16 // the longest packet of blocks that are cut from now on; 0: not known
	proven  uint16 // no longer packets are sent but loosely
	theirs  uint16 // the longest packet that the peer wants
	search  *search
	raiseAt Time            // another search is due when something is sent
	asked   wire.SizeHeader // the longest packet of the peer's questions, to be answered; Size 0: none
}

// search is a search for the length of packets.
type search struct {
	number uint32 // of its questions
	step   step
	at     Time // no answers are waited for then
	gap    Time // for which they are
	least  int  // the path carries that; 0: nothing was answered
	most   int  // more need not be asked for
	size   int  // that is asked for; 0: none yet
	tries  int  // of it
}

// The steps of a search.
//
//	greatest --no answer--> usual --answers--> between --> over
//	    |                   ^   |
//	 an answer: over        +-alive, until an answer comes
type step uint8

const (
	greatest step = iota // asks for the greatest length
	usual                // asks for all usual ones
	alive                // asks for the least one: it may be the peer that does not answer
	between              // looks for a better one than was found
)

const (
	firstAnswer = 5 * Millisecond // how long answers are waited for at first
	sizeTries   = 2
	nearSize    = 8            // a search for so few bytes more is not worth it
	raisePeriod = 30 * Second  // until it is looked whether more is carried than was found
	mostUnsized = patience + 2 // questions without an answer, in a third of a second, until the session is in doubt
	mostLosses  = 3            // of a packet until the path is in doubt
)

// usualSizes are the lengths of datagrams that many paths carry: of jumbo frames, FDDI, Ethernet, PPPoE, tunnels and
// overlay networks, and the least MTU of IPv6.
var usualSizes = []int{8972, 8952, 4324, 1472, 1464, 1452, 1444, 1422, 1402, 1372, 1332, 1252, 1232, 972, wire.MinPacket}

// overhead is how much longer packets of the session are than what they say.
func (p *Peer) overhead() int {
	if p.session.Sealed() {
		return seal.Overhead
	}
	return 0
}

// setSize has blocks from now on be cut for packets of so many bytes, which the path carries, and those of which
// nothing was sent, too.
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

// admit queues the blocks that have waited until their packets could be cut.
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

// recut cuts the blocks anew of which nothing was sent.
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

// cut finds how many packets a block has.
func (o *Outgoing) cut(payload int) {
	packets := max(1, (len(o.Data)+payload-1)/payload)
	o.total, o.payload = uint32(packets), payload
	o.short = uint16(packets*payload - len(o.Data))
}

// look begins a search.
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

// doubt has long packets go loosely until it is known what the path carries.
func (p *Peer) doubt() {
	p.proven = min(p.proven, wire.MinPacket)
	p.look(greatest)
}

// suspect notes that a packet is sent again. If it was lost several times, its length may be the reason.
func (s *sender) suspect(seq uint64, o *Outgoing) {
	p := s.peer
	if seq == s.next || s.flight(seq).times < mostLosses || p.search != nil || o.void {
		return
	}
	if length := wire.DataHeaderSize + o.payload + p.overhead(); length > wire.MinPacket && length <= int(p.proven) {
		p.doubt()
	}
}

// Shrink is to be called when a device has refused packets because they are too long for it now.
func (m *Machine) Shrink(now Time) {
	m.now = now
	for _, p := range m.active {
		if p.session == nil || m.config.Longest == nil || int(p.proven) <= m.config.Longest(p.addr) {
			continue // it was a question that was too long
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

// goOn goes on with a search, whose questions were answered, or not in time.
func (m *Machine) goOn(b *Batch, p *Peer) {
	s := p.search
	s.turn(p)
	switch {
	case s.step == between && !s.choose():
		p.found()
		return
	case s.step != between && !p.busy() && p.unanswered >= patience:
		p.search, p.proven = nil, p.size // nobody needs to know, and the peer does not answer
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
	if p.ask(); p.unanswered >= mostUnsized && p.busy() {
		p.open()
	}
}

// turn goes on to the next step.
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

// choose chooses the length to be asked for in between. It returns false if there is none.
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
		return // as if it was lost
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
