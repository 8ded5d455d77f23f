package protocol

import (
	"encoding/binary"
	"net/netip"

	"github.com/gopvas/gopvas/suci/internal/seal"
	"github.com/gopvas/gopvas/suci/internal/wire"
)

// How a session is opened. The first peer sends Hello until it has the Cookie, then Open until
// it has the Accept.
//
//	first                              second
//	Hello   nonce, proof          -->  keeps nothing
//	        proof, cookie, nonce  <--  Cookie
//	Open    cookie, proof         -->  the address is real: the session is open
//	the session is open           <--  Accept  another nonce, proof
//
// If no Accept comes, the first peer goes back to Hello: the second peer may have restarted, or
// the cookie may have expired. The keys of the session come from the key of the job and both nonces.
// So nobody else knows the keys of a session that a replayed Open makes.
//
// Each greeting proves that its sender knows the key of the job. The cookie proves that the first
// peer receives at its address, and that the Open is not an old one. If both peers begin at
// once, the greeting of the smaller ID goes on, and its Open ends the other greeting.
//
// A Hello that proves nothing is answered by a Cookie that proves nothing. Only who sees the Hello knows its nonce. So
// the first peer has been told that the keys differ, should it give up. Otherwise such a Cookie does nothing.
//
// A peer that hears nothing asks by Hello whether the other one still has the session. This Hello
// has the name of the session: the nonces of both peers. The Cookie answers yes or no.
//
// Both peers agree on one session in the end. They disagree after an Open or an Accept that is
// late: its greeting, or its session, was given up meanwhile (Remove, a timeout). Then one peer has
// a session that the other one does not have.
//
//   - A disagreement is found. The tag of a packet comes from the keys of its session, so a peer
//     drops packets of another session, and their sender hears nothing. After some probes it sends
//     Hello with the name, until a Cookie answers this Hello. A peer that waits for nothing needs
//     no session, and takes the next one.
//   - A session that both peers have does not end by a no. The answer is yes if the peer has the
//     session, or the greeting whose Accept may still bring it. The second peer has the session
//     before it sends the Accept, and the first one has the greeting until then. So only a peer
//     that has given up both says no. It never has that session again: each of the two nonces is
//     random, and at least one is new.
//   - A session does not end by an old Open. A cookie is bound to the last session with the peer
//     (see bound). So an Open is refused if a session was made after its cookie.
//   - Greetings come to an end. They do not end a session that both peers have, and a session ends
//     the greeting of the peer that makes it. While both peers greet, only one greeting goes on.
//     So the first exchange of greetings without a loss is the last one.
type greeting struct {
	kind     wire.Kind // Hello or Open
	at, gap  Time      // when it is sent again, and the time after that
	nonce    [wire.NonceSize]byte
	cookie   [wire.ProofSize]byte
	expected uint64
	tries    int
	foreign  bool // the last answer was of a peer with another key
}

// mostOpens is the number of times that an Open is sent before Hello asks again.
const mostOpens = 4

// reply is an answer to be sent. Nothing else is kept of its receiver.
type reply struct {
	to   netip.AddrPort
	kind wire.Kind
	wire.GreetingHeader
	foreign bool // without a proof
}

// mostReplies bounds the answers to be sent. Further ones are dropped, which is a loss like any other.
const mostReplies = 64

// open begins to open a session.
func (p *Peer) open() {
	if p.greeting != nil {
		return
	}
	m := p.machine
	p.greeting = &greeting{kind: wire.Hello, at: m.now, gap: firstGreet, nonce: m.config.Random()}
	if p.session == nil {
		p.contact.heard = m.now // its silence counts from now on
	}
	p.touch()
}

// sendGreetings sends the greetings and replies that are due.
func (m *Machine) sendGreetings(b *Batch) {
	for len(m.replies) > 0 && !b.full() {
		r := m.replies[len(m.replies)-1]
		m.replies = m.replies[:len(m.replies)-1]
		if r.foreign {
			b.add(r.to, append(r.Append(b.head(), r.kind), make([]byte, wire.ProofSize)...))
			m.count.PacketsOut++
			continue
		}
		m.greetingPacket(b, r.to, r.kind, &r.GreetingHeader)
	}
	for _, p := range m.active {
		g := p.greeting
		if g == nil || g.at > m.now || b.full() || !p.addr.IsValid() {
			continue
		}
		if g.tries++; g.kind == wire.Open && g.tries > mostOpens {
			g.kind, g.cookie = wire.Hello, [wire.ProofSize]byte{}
		}
		if p.session == nil {
			p.ask()
		}
		g.at, g.gap = m.now+g.gap, min(2*g.gap, maxGreet)
		h := m.about(p.id)
		h.Expected, h.Nonce, h.Cookie = g.expected, g.nonce, g.cookie
		if p.session != nil {
			h.Cookie = p.name() // it is a Hello: Open is sent without a session
		}
		m.greetingPacket(b, p.addr, g.kind, &h)
	}
}

// about fills in what this machine says of itself.
func (m *Machine) about(to ID) wire.GreetingHeader {
	return wire.GreetingHeader{
		From: uint32(m.config.Self), To: uint32(to), Incarnation: m.config.Incarnation,
		Packet: uint16(m.config.Packet), Window: initialWindow, Block: uint64(m.longest), Sealed: m.config.Seal,
	}
}

// greetingPacket adds a greeting.
func (m *Machine) greetingPacket(b *Batch, to netip.AddrPort, kind wire.Kind, h *wire.GreetingHeader) {
	key, ok := m.config.keyOf(ID(h.To))
	if !ok {
		return
	}
	head := h.Append(b.head(), kind)
	proof := key.Proof(head)
	b.add(to, append(head, proof[:]...))
	m.count.PacketsOut++
}

func (m *Machine) reply(r reply) {
	if len(m.replies) < mostReplies {
		m.replies = append(m.replies, r)
	}
}

// greet handles a greeting.
func (m *Machine) greet(from netip.AddrPort, b []byte) {
	prefix, bad := wire.ParsePrefix(b)
	kind := prefix.Kind
	var h wire.GreetingHeader
	signed, proof, err := wire.ParseGreeting(b, &h)
	switch {
	case bad != nil || err != nil:
		m.count.Malformed++
		return
	case h.To != uint32(m.config.Self), h.From == h.To, m.closed:
		m.count.Foreign++
		return
	case h.Sealed != m.config.Seal, !m.proves(ID(h.From), signed, proof):
		m.count.Foreign++
		m.foreign(from, kind, &h)
		return
	}
	switch kind {
	case wire.Hello:
		m.hello(from, &h)
	case wire.Cookie:
		m.cookie(&h)
	case wire.Open:
		m.opened(from, &h)
	case wire.Accept:
		m.accepted(&h)
	}
}

// proves tells whether a greeting is of the peer that it names.
func (m *Machine) proves(peer ID, signed, proof []byte) bool {
	key, ok := m.config.keyOf(peer)
	return ok && key.Check(signed, proof)
}

// foreign handles a greeting that proves nothing, or of a peer that seals packets where this one does not.
func (m *Machine) foreign(from netip.AddrPort, kind wire.Kind, h *wire.GreetingHeader) {
	p := m.peers[ID(h.From)]
	switch {
	case kind == wire.Hello:
		a := m.about(ID(h.From))
		a.Nonce = h.Nonce
		m.reply(reply{to: from, kind: wire.Cookie, GreetingHeader: a, foreign: true})
	case kind == wire.Cookie && p != nil && p.greeting != nil && p.greeting.nonce == h.Nonce:
		p.greeting.foreign = true
	}
}

// bound returns what a cookie is bound to besides the address: what the peer says of itself
// in Hello and again in Open, and the last session with it. So an Open is accepted only if no
// session with the peer was opened since its Hello, and the peer was not removed.
func (m *Machine) bound(h *wire.GreetingHeader) []byte {
	b := binary.BigEndian.AppendUint32(nil, h.From)
	b = binary.BigEndian.AppendUint64(b, h.Incarnation)
	b = append(b, h.Nonce[:]...)
	last := m.unopened()
	if p := m.peers[ID(h.From)]; p != nil {
		last = p.nonce
	}
	return append(b, last[:]...)
}

// unopened stands for the nonce of the last session with a peer that had none since it was added.
// It differs after each Remove, since nothing is kept of a removed peer.
func (m *Machine) unopened() (n [wire.NonceSize]byte) {
	binary.BigEndian.PutUint64(n[:], m.removed)
	return n
}

// hello answers with a cookie and keeps nothing.
func (m *Machine) hello(from netip.AddrPort, h *wire.GreetingHeader) {
	a := m.about(ID(h.From))
	a.Nonce, a.Cookie = h.Nonce, m.cookies.Make(int64(m.now), from, m.bound(h))
	if p := m.peers[ID(h.From)]; p != nil && p.knows(h.Cookie) {
		a.Expected = h.Incarnation
	}
	m.reply(reply{to: from, kind: wire.Cookie, GreetingHeader: a})
}

// name returns the name of the session, which is the same at both peers.
func (p *Peer) name() (name [wire.ProofSize]byte) {
	copy(name[:], p.nonce[:])
	copy(name[wire.NonceSize:], p.answer[:])
	return name
}

// knows tells whether the session of that name is here, or the greeting whose Accept may bring it.
func (p *Peer) knows(name [wire.ProofSize]byte) bool {
	return p.session != nil && p.name() == name ||
		p.greeting != nil && p.greeting.nonce == [wire.NonceSize]byte(name[:])
}

// cookie goes on with Open, unless the peer says that it has the session.
func (m *Machine) cookie(h *wire.GreetingHeader) {
	p := m.peers[ID(h.From)]
	if p == nil || p.greeting == nil || p.greeting.kind != wire.Hello || p.greeting.nonce != h.Nonce {
		m.count.Stale++
		return
	}
	if p.session != nil {
		p.hear()
		if p.incarnation == h.Incarnation && h.Expected == m.config.Incarnation {
			p.greeting = nil
			return
		}
		p.end(ErrRestarted)
	}
	// Without a session its silence goes on: a peer that answers but does not accept is
	// lost in the end.
	g := p.greeting
	g.kind, g.cookie, g.expected = wire.Open, h.Cookie, h.Incarnation
	g.at, g.gap, g.tries, g.foreign = m.now, firstGreet, 0, false
}

// opened makes the session as its second peer.
func (m *Machine) opened(from netip.AddrPort, h *wire.GreetingHeader) {
	p := m.peers[ID(h.From)]
	switch {
	case p != nil && p.session != nil && p.nonce == h.Nonce && p.incarnation == h.Incarnation:
		m.replyAccept(from, h, p.answer) // the first Accept was lost
		return
	case h.Expected != m.config.Incarnation, !m.cookies.Check(int64(m.now), from, m.bound(h), h.Cookie[:]):
		m.count.Stale++
		return
	case p != nil && p.greeting != nil && p.addr == from && m.config.Self < ID(h.From):
		return // the peer will follow this machine's own greeting
	case p == nil && len(m.peers) >= m.config.MaxPeers:
		m.count.Refused++
		return
	}
	p = m.Add(ID(h.From), from)
	p.end(ErrRestarted)
	p.answer = m.config.Random()
	m.replyAccept(from, h, p.answer)
	p.establish(h, false)
}

func (m *Machine) replyAccept(to netip.AddrPort, h *wire.GreetingHeader, answer [wire.NonceSize]byte) {
	a := m.about(ID(h.From))
	a.Expected, a.Nonce = h.Incarnation, h.Nonce
	copy(a.Cookie[:], answer[:])
	m.reply(reply{to: to, kind: wire.Accept, GreetingHeader: a})
}

// accepted makes the session as its first peer.
func (m *Machine) accepted(h *wire.GreetingHeader) {
	p := m.peers[ID(h.From)]
	if p == nil || p.greeting == nil || p.greeting.kind != wire.Open || p.greeting.nonce != h.Nonce ||
		p.greeting.expected != h.Incarnation || h.Expected != m.config.Incarnation {
		m.count.Stale++
		return
	}
	p.answer = [wire.NonceSize]byte(h.Cookie[:])
	p.establish(h, true)
}

// establish begins the session that both have agreed on.
func (p *Peer) establish(h *wire.GreetingHeader, first bool) {
	m := p.machine
	mine, theirs := m.about(p.id), *h
	a, b := &mine, &theirs
	if !first {
		a, b = b, a
	}
	about := binary.BigEndian.AppendUint32(nil, a.From)
	about = binary.BigEndian.AppendUint32(about, b.From)
	about = binary.BigEndian.AppendUint64(about, a.Incarnation)
	about = binary.BigEndian.AppendUint64(about, b.Incarnation)
	about = append(append(about, h.Nonce[:]...), p.answer[:]...)
	key, _ := m.config.keyOf(p.id) // which has proved the greeting
	p.session = seal.NewSession(&key, about, first, m.config.Seal)
	m.byTag[p.session.ReceiveTag] = p
	p.greeting, p.nonce, p.incarnation = nil, h.Nonce, h.Incarnation
	p.longest = h.Block
	p.sending, p.receiving = 0, 0
	for i := range p.lanes {
		p.lanes[i] = lane{limit: uint64(h.Window), granted: initialWindow}
	}
	p.rtt, p.delivery = rtt{}, delivery{}
	p.contact.heard, p.contact.unanswered, p.contact.backoff, p.paceAt = m.now, 0, 0, 0
	p.touch()
	p.theirs = h.Packet
	p.look(greatest)
	if !first {
		p.search.at += firstAnswer // or when the first peer asks: it has the session then
	}
	m.changed(p, Up)
}
