package protocol

import (
	"cmp"
	"net/netip"

	"github.com/gopvas/gopvas/suci/internal/seal"
	"github.com/gopvas/gopvas/suci/internal/wire"
)

// Machine is the protocol state of one endpoint. Its calls must not overlap.
type Machine struct {
	config  Config
	handler Handler
	cookies *seal.Cookies
	longest int // block accepted without a place

	now     Time
	peers   map[ID]*Peer
	removed uint64 // number of removed peers: see unopened
	byTag   map[uint64]*Peer
	last    *Peer // that sent the last packet
	row     row
	active  []*Peer
	places  map[placeKey][]byte
	mem     memory
	closed  bool

	device     device
	grants     grants
	refusing   bool // some lane has refused packets
	pruneAt    Time
	packetSize int    // of the long block from or to a peer that was begun last
	searches   uint32 // see search

	replies   []reply // cookies and accepts to be sent
	senders   []*sender
	receivers []*receiver
	nonce     [12]byte
	count     Counters
	all       throughput
	header    wire.DataHeader // scratch, so that it does not escape
	ack       wire.AckHeader
}

// New returns a machine. The configuration must be complete.
func New(c Config) *Machine {
	m := &Machine{
		config: c, handler: c.Handler,
		cookies: seal.NewCookies(seal.NewKey()),
		peers:   map[ID]*Peer{}, byTag: map[uint64]*Peer{}, places: map[placeKey][]byte{},
		mem: memory{limit: c.Memory}, pruneAt: Never, packetSize: c.Packet,
		grants: grants{budget: c.newBudget(), ranked: make([]*receiver, 0, overcommit), standing: mostStanding,
			senders: startActive},
	}
	m.longest = smallBuffer << (class(cmp.Or(c.Block, c.PeerMemory/2)+1) - 1)
	return m
}

// Add puts a peer into the address table, or gives it another address.
func (m *Machine) Add(id ID, addr netip.AddrPort) *Peer {
	p := m.peers[id]
	if p == nil {
		p = &Peer{machine: m, id: id, nonce: m.unopened(),
			control: m.config.newSendControl(m.config.Packet), deadline: Never}
		m.peers[id] = p
	}
	p.addr = addr
	return p
}

// Peer finds a peer, nil if it is unknown.
func (m *Machine) Peer(id ID) *Peer { return m.peers[id] }

// Peers calls do for each peer of the address table.
func (m *Machine) Peers(do func(*Peer)) {
	for _, p := range m.peers {
		do(p)
	}
}

// Remove takes a peer out of the address table. b takes the packet that tells it.
func (m *Machine) Remove(now Time, p *Peer, b *Batch) {
	m.now = now
	m.goodbye(p, b)
	p.end(ErrGone)
	p.abandon(ErrGone)
	p.greeting = nil
	p.rest()
	if m.peers[p.id] == p {
		delete(m.peers, p.id)
		m.removed++
	}
}

// Close ends all sessions. b takes the packets that tell the peers, as many as fit.
func (m *Machine) Close(now Time, b *Batch) {
	m.now, m.closed = now, true
	for _, p := range m.peers {
		if !b.full() {
			m.goodbye(p, b)
		}
		p.end(ErrClosed)
		p.abandon(ErrClosed)
		p.greeting = nil
	}
}

func (m *Machine) goodbye(p *Peer, b *Batch) {
	if p.session != nil {
		m.packet(b, p, p.prefix(b, wire.Bye, 0, 0), nil)
	}
}

// Send queues a block for a peer. It is sent as soon as windows, pace and more urgent
// blocks allow. If Send returns an error the block is not queued and Done is not called.
func (m *Machine) Send(now Time, p *Peer, o *Outgoing) error {
	m.now = now
	switch {
	case m.closed:
		return ErrClosed
	case o.Priority >= wire.Lanes:
		o.Priority = wire.Lanes - 1
	}
	o.void, o.sender = false, nil
	if o.Deadline != 0 {
		p.deadline = min(p.deadline, o.Deadline)
	}
	if p.session == nil {
		p.open()
		p.pending.push(o)
		return nil
	}
	if o.Place == 0 && uint64(len(o.Data)) > p.longest {
		return ErrTooLong
	}
	if !p.busy() {
		p.contact.heard = now // its silence counts from now on
	}
	if p.size == 0 {
		if p.pending.push(o); p.search == nil {
			p.look(greatest)
		}
		return nil
	}
	p.sender(o.Priority).queue(o)
	return nil
}

// Cancel gives a block up: Done is called with err, and the peer skips what has not
// arrived there. It does nothing for a block that is done.
func (m *Machine) Cancel(now Time, p *Peer, o *Outgoing, err error) {
	m.now = now
	if s := o.sender; s != nil {
		s.giveUp(o, err)
		return
	}
	for range p.pending.len() {
		q := p.pending.pop()
		if q != o {
			p.pending.push(q)
			continue
		}
		m.count.BlocksFailed++
		o.finish(err)
	}
}

// Datagram handles a datagram that came to the kernel at the given time. The machine may
// overwrite it, and keeps nothing of it.
func (m *Machine) Datagram(now, arrived Time, from netip.AddrPort, b []byte) {
	m.now, m.row.lane = now, nil
	m.count.PacketsIn++
	tag, ok := wire.Tag(b)
	switch {
	case !ok:
		m.count.Malformed++
		return
	case tag == 0:
		m.greet(from, b)
		return
	}
	p := m.find(tag)
	if p == nil {
		m.count.Foreign++
		return
	}
	if p.session.Sealed() {
		if b, ok = p.session.Unseal(b, &m.nonce); !ok {
			m.count.Replayed++
			return
		}
	}
	if prefix, err := wire.ParsePrefix(b); err != nil || !m.accept(p, arrived, prefix, b) {
		m.count.Malformed++
	}
	m.keepHead(b)
}

// find returns the peer whose packets carry the tag, nil if there is none.
func (m *Machine) find(tag uint64) *Peer {
	if p := m.last; p != nil && p.session.ReceiveTag == tag {
		return p
	}
	p := m.byTag[tag]
	if p != nil {
		m.last = p
	}
	return p
}

// accept handles a packet of a session, if it is well-formed.
func (m *Machine) accept(p *Peer, arrived Time, prefix wire.Prefix, b []byte) (ok bool) {
	p.touch()
	switch prefix.Kind {
	case wire.Data:
		body, err := wire.ParseData(b, prefix, &m.header, &m.ack)
		if ok = err == nil; ok {
			if prefix.Flags&wire.FlagAck != 0 {
				ok = m.acknowledged(p, arrived, 0, nil)
			}
			m.count.PayloadIn += uint64(len(body))
			m.data(p, arrived, prefix, &m.header, body)
		}
	case wire.Ack:
		bitmap, err := wire.ParseAck(b, prefix, &m.ack)
		ok = err == nil && m.acknowledged(p, arrived, prefix.Flags, bitmap)
	case wire.Probe:
		probe, err := wire.ParseProbe(b)
		if ok = err == nil; ok {
			p.receiver(prefix.Lane).probe(probe)
		}
	case wire.Size:
		size, err := wire.ParseSize(b, prefix, p.overhead())
		if ok = err == nil; ok {
			p.sized(prefix.Flags, size)
		}
	case wire.Bye:
		p.end(ErrGone)
		ok = true
	}
	if ok {
		p.hear()
	}
	return ok
}

// ask notes that something was sent that the peer should answer.
func (p *Peer) ask() {
	if p.contact.ask() {
		p.machine.changed(p, Silent)
	}
}

// hear notes that the peer has sent something that only it can send.
func (p *Peer) hear() {
	m := p.machine
	if p.contact.hear(m.now) {
		m.changed(p, Answers)
	}
}

// acknowledged handles the acknowledgement in m.ack.
func (m *Machine) acknowledged(p *Peer, arrived Time, flags uint8, bitmap wire.Bitmap) bool {
	l := &p.lanes[m.ack.Lane]
	if s := l.out; s != nil {
		return s.acknowledge(arrived, flags, &m.ack, bitmap)
	}
	if m.ack.Next > l.sent || m.ack.Limit > m.ack.Next+2*maxWindow {
		return false
	}
	l.limit = max(l.limit, m.ack.Limit)
	return true
}

// probe answers what the sender asks.
func (r *receiver) probe(h wire.ProbeHeader) {
	sent := min(h.Sent, r.limit)
	r.probed = max(r.probed, sent)
	if sent >= r.demand { // else the probe is older than what has arrived
		r.demand, r.more = sent, h.Backlog > 0
	}
	r.answer = true
	r.peer.machine.grants.changed(r)
	r.due(r.peer.machine.now)
}

func (m *Machine) changed(p *Peer, c Change) { m.handler.Changed(p, c) }

func (m *Machine) newSender() *sender {
	if n := len(m.senders); n > 0 {
		s := m.senders[n-1]
		m.senders = m.senders[:n-1]
		return s
	}
	return new(sender)
}

func (m *Machine) newReceiver() *receiver {
	if n := len(m.receivers); n > 0 {
		r := m.receivers[n-1]
		m.receivers = m.receivers[:n-1]
		return r
	}
	return new(receiver)
}
