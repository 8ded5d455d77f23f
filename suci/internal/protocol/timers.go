package protocol

import "github.com/gopvas/gopvas/suci/internal/wire"

// prunePeriod is how long a lane without work keeps its memory, at most twice.
const prunePeriod = 50 * Millisecond

// mostDelay is how late the machine may come to prune, by a scheduler. What is more is time in which this process did
// not run: it was stopped, or its machine was. That is no silence of a peer.
const mostDelay = Second

// probeAt is the time at which the lane asks the receiver what it lacks, Never if it
// waits for nothing. A lane that waits for a grant, and of which nothing is under way
// that could bring one, asks at once.
func (s *sender) probeAt() Time {
	switch {
	case s.waiting+s.parked == 0 && !s.blocked():
		return Never
	case s.waiting+s.parked == 0 && !s.asked:
		return s.peer.machine.now
	}
	p := s.peer
	return s.since + p.contact.gap(p.rtt.probe())
}

// Wake is the time at which Transmit has something to do even if nothing arrives.
func (m *Machine) Wake() Time {
	if m.grants.urgent || len(m.replies) > 0 {
		return m.now
	}
	at := m.pruneAt
	for _, p := range m.active {
		at = min(at, p.wake())
	}
	return at
}

func (p *Peer) wake() Time {
	at := Never
	if p.greeting != nil {
		at = p.greeting.at
	}
	if p.search != nil {
		at = min(at, p.search.at)
	}
	if p.asked.Size != 0 {
		at = p.machine.now
	}
	if p.busy() {
		at = min(at, p.contact.heard+p.machine.config.Timeout, p.deadline)
	}
	for set := p.receiving; set != 0; set = set.rest() {
		at = min(at, p.lanes[set.first()].in.ackDue)
	}
	for set := p.sending; set != 0; set = set.rest() { // only with a session
		s := p.lanes[set.first()].out
		at = min(at, s.probeAt())
		if s.ready(Never / 2) {
			at = min(at, max(p.paceAt-paceSlack, s.held()))
		}
	}
	return at
}

// timers does what is due but for sending acknowledgements, greetings and data.
func (m *Machine) timers(b *Batch) {
	prune := m.now >= m.pruneAt
	if late := m.now - m.pruneAt; late > mostDelay {
		for _, p := range m.active {
			p.contact.heard = min(p.contact.heard+late, m.now)
		}
	}
	for i := len(m.active) - 1; i >= 0; i-- {
		p := m.active[i]
		if p.busy() {
			m.expire(p)
		}
		for set := p.sending; set != 0 && p.session != nil; set = set.rest() {
			if s := p.lanes[set.first()].out; !b.full() && s.probeAt() <= m.now {
				m.sendProbe(b, s)
			}
		}
		p.reportBlocked()
		if prune && p.prune() {
			p.rest()
		}
	}
	switch {
	case len(m.active) == 0:
		m.pruneAt = Never
	case prune || m.pruneAt == Never:
		m.pruneAt = m.now + prunePeriod
	}
}

// sendProbe asks the receiver of a lane what it lacks.
func (m *Machine) sendProbe(b *Batch, s *sender) {
	p := s.peer
	h := wire.ProbeHeader{Sent: s.next, Backlog: s.unsent()}
	m.packet(b, p, h.Append(p.prefix(b, wire.Probe, s.lane, 0)), nil)
	m.count.Probes++
	s.since, s.asked = m.now, true
	if !p.contact.probe(m.now, p.rtt.probe()) {
		return // another lane has just asked
	}
	p.ask()
	if p.contact.silent() {
		p.open()
	}
}

// Blocked tells whether a lane to the peer waits for its grant. The handler hears of it, and so hears when it no longer
// does.
func (p *Peer) Blocked() bool {
	p.reportBlocked()
	return p.blocked
}

// reportBlocked tells the handler when a lane waits for grants, and when none does.
func (p *Peer) reportBlocked() {
	blocked := false
	for set := p.sending; set != 0; set = set.rest() {
		blocked = blocked || p.lanes[set.first()].out.blocked()
	}
	if blocked != p.blocked {
		p.blocked = blocked
		change := Unblocked
		if blocked {
			change = Blocked
		}
		p.machine.changed(p, change)
	}
}

// expire fails the blocks of a peer that is lost, and those whose deadline has passed.
func (m *Machine) expire(p *Peer) {
	if m.now-p.contact.heard >= m.config.Timeout {
		if p.session == nil {
			m.changed(p, Down) // end tells that of sessions alone
		}
		lost := ErrLost
		if p.greeting != nil && p.greeting.foreign {
			lost = ErrKey
		}
		p.end(lost)
		p.abandon(lost)
		p.greeting = nil
		return
	}
	if m.now < p.deadline {
		return
	}
	p.deadline = Never
	for range p.pending.len() {
		o := p.pending.pop()
		if m.overdue(p, o) {
			m.count.BlocksFailed++
			o.finish(ErrDeadline)
			continue
		}
		p.pending.push(o)
	}
	for set := p.sending; set != 0; set = set.rest() {
		s := p.lanes[set.first()].out
		for j := range s.blocks.len() {
			if o := s.blocks.at(j); !o.void && m.overdue(p, o) {
				s.giveUp(o, ErrDeadline)
			}
		}
	}
}

// overdue tells whether a block's deadline has passed, and notes it if not.
func (m *Machine) overdue(p *Peer, o *Outgoing) bool {
	if o.Deadline == 0 {
		return false
	}
	if o.Deadline > m.now {
		p.deadline = min(p.deadline, o.Deadline)
		return false
	}
	return true
}
