package protocol

import (
	"net/netip"

	"github.com/gopvas/gopvas/suci/internal/seal"
	"github.com/gopvas/gopvas/suci/internal/wire"
)

const gap = seal.Gap

// Peer is one entry of the address table. An idle peer holds nothing but this.
type Peer struct {
	machine *Machine
	id      ID
	addr    netip.AddrPort
	place   int // in Machine.active, from 1 on; 0: not active

	// The session, nil if there is none.
	session     *seal.Session
	incarnation uint64               // the peer's in the session
	nonce       [wire.NonceSize]byte // of the first peer of the session, or of the last session: see bound
	answer      [wire.NonceSize]byte // of the second peer
	path                             // how long its packets are
	longest     uint64               // block that the peer accepts without a place
	greeting    *greeting            // being exchanged, or nil

	lanes     [wire.Lanes]lane
	sending   laneSet          // those that have a sender
	receiving laneSet          // those that have a receiver
	pending   deque[*Outgoing] // queued before there was a session

	// Flow to the peer.
	control  control
	rtt      rtt
	delivery delivery
	underWay int  // packets sent of which nothing has been heard
	paceAt   Time // the next packet may be sent then
	pace     int  // bytes per second that the program allows, 0: any
	blocked  bool // the handler has been told Blocked

	// Memory for blocks of the peer.
	held, late int

	contact    contact
	deadline   Time // the earliest of all blocks, or earlier
	queueThere uint32
	losses     uint64
	resent     uint64
}

// ID is the peer's name.
func (p *Peer) ID() ID { return p.id }

// touch puts the peer among those that are looked at.
func (p *Peer) touch() {
	if m := p.machine; p.place == 0 {
		m.active = append(m.active, p)
		p.place = len(m.active)
	}
}

// rest takes the peer out of those that are looked at.
func (p *Peer) rest() {
	m := p.machine
	if p.place == 0 {
		return
	}
	last := m.active[len(m.active)-1]
	m.active[p.place-1], last.place = last, p.place
	m.active[len(m.active)-1] = nil
	m.active = m.active[:len(m.active)-1]
	p.place = 0
}

// busy tells whether the program waits for the peer.
func (p *Peer) busy() bool {
	if p.pending.len() > 0 {
		return true
	}
	for set := p.sending; set != 0; set = set.rest() {
		if !p.lanes[set.first()].out.done() {
			return true
		}
	}
	return false
}

// end closes the session: blocks to the peer fail, parts of blocks from it are dropped.
func (p *Peer) end(err error) {
	if p.session == nil {
		return
	}
	m := p.machine
	delete(m.byTag, p.session.ReceiveTag)
	if m.last == p {
		m.last = nil
	}
	p.session, p.incarnation = nil, 0
	for i := range p.lanes {
		l := &p.lanes[i]
		if s := l.out; s != nil {
			s.fail(err)
			l.out = nil
		}
		if r := l.in; r != nil {
			r.drop()
			l.in = nil
		}
	}
	p.abandon(err) // those that wait for the length of packets
	p.lanes, p.sending, p.receiving = [wire.Lanes]lane{}, 0, 0
	p.underWay, p.blocked, p.path = 0, false, path{}
	p.contact.unanswered, p.contact.backoff = 0, 0
	m.changed(p, Down)
}

// abandon fails the blocks that wait for a session, or for the length of its packets.
func (p *Peer) abandon(err error) {
	for p.pending.len() > 0 {
		o := p.pending.pop()
		p.machine.count.BlocksFailed++
		o.finish(err)
	}
}
