package net

import (
	"encoding/binary"
	"net/netip"
	"time"

	"github.com/gopvas/gopvas/suci"
)

// Paths. A peer is reached by a path for each device that both have. The address of its device
// 0 is in the root block. Those of the others come in its first message, which a rank sends to
// each peer that it sends anything to.
//
//	unknown --addresses--> probing --answered--> up --silent--> doubted --a while--> down
//	                          ^ ^                 | ^              |                  |
//	                          | +--session ended--+ +---answers----+                  |
//	                          +-------------------------a while-----------------------+
//
// A path that becomes silent while another is up is doubted. Nothing more is sent by it, and what
// it has not started goes by other paths. On a node with more work than CPUs a peer may be late
// for some 50 ms, and no device has failed. If the path stays silent it is taken down: its session
// is removed, so all blocks on it end with an error, and their bytes go by other paths. The last
// path that is up stays, however silent: then the supervisors, or suci's time-out, decide.

type pathState uint8

const (
	unknown pathState = iota
	probing
	up
	doubted
	down
)

// ailing tells whether a path waits for its time: see tendPaths.
func (s pathState) ailing() bool { return s == doubted || s == down }

// path is how a peer is reached by a device. All of it belongs to the rank.
type path struct {
	state  pathState
	handle *suci.Peer // nil unless probing, up or doubted
	addr   netip.AddrPort
	silent bool      // it is the last one, and the peer does not answer
	retry  time.Time // a path that is doubted is taken down then, one that is down is probed; zero before it failed

	left   int // bytes of pieces that wait for the device or are under way
	flying int // pieces that are under way
}

// failed tells whether the path is doubted or was taken down, and is not up again.
func (at *path) failed() bool {
	return at.state.ailing() || at.state == probing && !at.retry.IsZero()
}

// pathRetry is how long a path that is down is left alone; pathDoubt is how long a path may be
// silent after suci has said so.
const (
	pathRetry = 300 * time.Millisecond
	pathDoubt = 150 * time.Millisecond
)

// change is what an endpoint has told of a peer.
type change struct {
	device *device
	id     suci.ID
	what   suci.Change
}

// onChange is called by an endpoint, with its lock held.
func (m *Module) onChange(d *device, id suci.ID, c suci.Change) {
	if m.closed.Load() || c == suci.Congested || c == suci.Blocked || c == suci.Unblocked {
		return
	}
	m.changes.mu.Lock()
	m.changes.list = append(m.changes.list, change{d, id, c})
	m.changes.mu.Unlock()
	m.disturb()
}

// disturb makes the rank look at what has changed: see tend.
func (m *Module) disturb() {
	m.disturbed.Store(true)
	m.inbox.Signal()
}

// tend does what is due but for taking in messages: paths go up and down, what was lost
// with a path is sent by another, devices get more to send.
func (m *Module) tend() {
	if m.disturbed.Load() && m.disturbed.Swap(false) {
		m.changes.mu.Lock()
		list := m.changes.list
		m.changes.list = nil
		m.changes.mu.Unlock()
		for _, c := range list {
			m.changed(c)
		}
		m.saySilent()
		m.sendAgain()
	}
	if m.several() && m.ailing.Load() > 0 {
		m.tendPaths()
	}
	m.pump()
}

// changed handles a change. Where the session of a path has ended, the path is probed at once, and the
// peer is not removed from the endpoint: suci may be opening another session with it. If that were removed, the peer
// would have a session with nobody, would find that out and end it, and so on in turns.
// What was lost goes by other paths; if there is none, by the next session.
func (m *Module) changed(c change) {
	p := m.of(c.id)
	if p == nil || p.buried {
		return
	}
	at := &p.paths[c.device.number]
	switch {
	case c.what == suci.Up || c.what == suci.Answers:
		at.silent = false
		m.answered(p, c.device)
	case at.handle == nil:
	case p.others(c.device.number) && c.what == suci.Silent:
		m.doubt(p, c.device)
	case p.others(c.device.number):
		m.countFailure(at, c.device)
		at.retry = time.Now() // it has failed: see failed
		m.probe(p, c.device)
	case c.what == suci.Silent:
		at.silent = true
	case !m.several() && !m.root.Gone(p.rank):
		m.fail(m.unreachable(p, suci.ErrLost))
	}
}

// saySilent notes for the report of a hang whether a peer does not answer by its last path.
func (m *Module) saySilent() {
	for _, p := range m.peers {
		if p == nil || p.buried {
			continue
		}
		for number := range p.paths {
			if p.paths[number].silent {
				m.root.SetSilent(m.rank, p.rank+1, number)
				return
			}
		}
	}
	m.root.SetSilent(m.rank, 0, 0)
}

// others tells whether the peer can be reached by another device than this one.
func (p *peer) others(number int) bool {
	for i := range p.paths {
		if i != number && p.paths[i].state == up {
			return true
		}
	}
	return false
}

// answered notes that the peer has been heard on a device.
func (m *Module) answered(p *peer, d *device) {
	at := &p.paths[d.number]
	if at.state == up || p.buried {
		return
	}
	if at.handle == nil {
		if at.handle = d.endpoint.Peer(p.id); at.handle == nil {
			return
		}
	}
	m.setState(at, up)
	m.disturbed.Store(true)
	for i := range p.paths {
		if last := &p.paths[i]; last.silent && i != d.number {
			m.doubt(p, m.devices[i])
		}
	}
}

// doubt has no more sent by a path that is silent. One that is probed is taken down: so it is probed
// anew soon, and not as seldom as suci greets a peer that has not answered for long.
func (m *Module) doubt(p *peer, d *device) {
	at := &p.paths[d.number]
	if at.state == probing {
		m.takeDown(p, d)
		return
	}
	if at.silent = false; at.state == up {
		at.retry = time.Now().Add(pathDoubt)
		m.setState(at, doubted)
		m.disturbed.Store(true)
	}
}

func (m *Module) setState(at *path, s pathState) {
	if at.state.ailing() {
		m.ailing.Add(-1)
	}
	if s.ailing() {
		m.ailing.Add(1)
	}
	at.state = s
	m.startable = true
}

// takeDown ends the use of a path, unless it is the last one that is up.
func (m *Module) takeDown(p *peer, d *device) {
	at := &p.paths[d.number]
	if at.state == up && !p.others(d.number) {
		return
	}
	handle := at.handle
	at.handle, at.silent, at.retry = nil, false, time.Now().Add(pathRetry)
	m.countFailure(at, d)
	m.setState(at, down)
	if handle != nil {
		d.endpoint.Remove(handle) // ends all blocks on it
	}
	m.disturb()
}

// countFailure counts that a path which was in use cannot be any more.
func (m *Module) countFailure(at *path, d *device) {
	if at.state != up && at.state != doubted {
		return
	}
	d.mu.Lock()
	d.use.Failures++
	d.mu.Unlock()
}

// tendPaths probes the paths that have been down for a while, and takes down those that have been
// doubted for long.
func (m *Module) tendPaths() {
	now := time.Now()
	if now.Before(m.retryAt) {
		return
	}
	m.retryAt = now.Add(pathDoubt / 4)
	for _, p := range m.peers {
		if p == nil || p.buried {
			continue
		}
		for i := range p.paths {
			at := &p.paths[i]
			switch {
			case !at.state.ailing() || now.Before(at.retry):
			case at.state == down:
				m.probe(p, m.devices[i])
			case p.others(i):
				m.takeDown(p, m.devices[i])
			}
		}
	}
}

// probe opens a session on a path, by a message that says nothing. When the peer answers the
// path is up.
func (m *Module) probe(p *peer, d *device) {
	at := &p.paths[d.number]
	handle, err := d.endpoint.Destination(p.id, at.addr)
	if err != nil {
		m.takeDown(p, d)
		return
	}
	at.handle, at.silent = handle, false
	m.setState(at, probing)
	h := head{kind: ping}
	var b [headSize]byte
	h.put(b[:])
	_ = handle.TryWrite(suci.Block{Data: b[:], Priority: messageLane}) // an error: a change tells
}

// introduce tells a peer where this rank's further devices are, in the first message to it.
func (m *Module) introduce(p *peer) {
	if p.introduced {
		return
	}
	p.introduced = true
	b := make([]byte, headSize, headSize+addressSize*len(m.devices))
	for _, d := range m.devices[1:] {
		a := d.endpoint.Addr()
		ip := a.Addr().As16()
		b = binary.LittleEndian.AppendUint16(append(b, ip[:]...), a.Port())
	}
	m.sendNumbered(p, &head{kind: addresses}, b) // there is room for the first one
}

const addressSize = 18

// learn takes what introduce has told.
func (m *Module) learn(p *peer, b []byte) {
	for _, d := range m.devices[1:] {
		if len(b) < addressSize {
			return
		}
		ip := netip.AddrFrom16([16]byte(b[:16])).Unmap()
		at := &p.paths[d.number]
		at.addr = netip.AddrPortFrom(ip, binary.LittleEndian.Uint16(b[16:]))
		b = b[addressSize:]
		if at.state == unknown && at.addr.Port() != 0 {
			m.probe(p, d)
		}
	}
}

// several tells whether this rank has more than one device.
func (m *Module) several() bool { return len(m.devices) > 1 }
