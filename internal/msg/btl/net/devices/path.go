package devices

import (
	"net/netip"
	"time"

	"github.com/gopvas/gopvas/suci"
)

// Paths. A peer is reached by a path for each device that both have. Their addresses are in the root block. The first
// path is taken to be up at first contact, and the others are probed: any device may have failed before.
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

// State is that of a path.
type State uint8

// The states.
const (
	Unknown State = iota
	Probing
	Up
	Doubted
	Down
)

// ailing tells whether a path waits for its time: see TendPaths.
func (s State) ailing() bool { return s == Doubted || s == Down }

// path is how a peer is reached by a device. All of it belongs to the rank.
type path struct {
	state  State
	handle *suci.Peer // nil unless the path is probed, up or doubted
	addr   netip.AddrPort
	silent bool      // it is the last one, and the peer does not answer
	retry  time.Time // a path that is doubted is taken down then, one that is down is probed; zero before it failed

	left   int // bytes of pieces that wait for the device or are under way
	flying int // pieces that are under way
}

// failed tells whether the path is doubted or was taken down, and is not up again.
func (at *path) failed() bool {
	return at.state.ailing() || at.state == Probing && !at.retry.IsZero()
}

// pathRetry is how long a path that is down is left alone; PathTime is how long a path may be
// silent after suci has said so.
const (
	pathRetry = 300 * time.Millisecond
	PathTime  = 150 * time.Millisecond
)

// Change is what an endpoint has told of a peer.
type Change struct {
	ID     suci.ID
	Device int
	What   suci.Change
}

// onChange is called by an endpoint, with its lock held.
func (s *Set) onChange(device int, id suci.ID, what suci.Change) {
	if s.closed.Load() || what == suci.Congested || what == suci.Blocked || what == suci.Unblocked {
		return
	}
	s.changes.mu.Lock()
	s.changes.list = append(s.changes.list, Change{id, device, what})
	s.changes.mu.Unlock()
	s.disturb()
}

// disturb makes the rank look at what has changed: see Disturbed.
func (s *Set) disturb() {
	s.disturbed.Store(true)
	s.root.Inbox(s.rank).Signal()
}

// Disturbed tells whether something has happened to paths, which Tend looks at.
func (s *Set) Disturbed() bool { return s.disturbed.Load() }

// takeChanges returns what the endpoints have told since the last call.
func (s *Set) takeChanges() []Change {
	s.disturbed.Store(false) // before they are taken
	s.changes.mu.Lock()
	defer s.changes.mu.Unlock()
	list := s.changes.list
	s.changes.list = nil
	return list
}

// repair sends by other paths what was lost with some.
func (s *Set) repair() {
	s.saySilent()
	for _, p := range s.peers {
		if len(p.unacked) > 0 {
			s.settle(p)
		}
	}
	for _, d := range s.list {
		s.collect(d)
	}
}

// Tend does what is due: what has happened to paths is noted, they go up and down in time, and devices get more to
// send.
func (s *Set) Tend() {
	if s.Disturbed() {
		for _, c := range s.takeChanges() {
			if p := s.peer(c.ID); p != nil {
				s.Changed(p, c)
			}
		}
		s.repair()
	}
	if s.Several() && s.ailing.Load() > 0 {
		s.TendPaths(time.Now())
	}
	s.pump()
}

// Changed handles a change. Where the session of a path has ended, the path is probed at once, and the peer is not
// removed from the endpoint: suci may be opening another session with it. If that were removed, the peer would have a
// session with nobody, would find that out and end it, and so on in turns. What was lost goes by other paths; if there
// is none, by the next session.
func (s *Set) Changed(p *Peer, c Change) {
	if p.buried {
		return
	}
	at := &p.paths[c.Device]
	switch {
	case c.What == suci.Up || c.What == suci.Answers:
		at.silent = false
		s.Answered(p, c.Device)
	case at.handle == nil:
	case p.others(c.Device) && c.What == suci.Silent:
		s.doubt(p, c.Device)
	case p.others(c.Device):
		s.countFailure(at, c.Device)
		at.retry = time.Now() // it has failed: see failed
		s.probe(p, c.Device)
	case c.What == suci.Silent:
		at.silent = true
	case !s.Several() && !s.root.Gone(p.rank):
		s.Fail(p, suci.ErrLost)
	}
}

// saySilent notes for the report of a hang whether a peer does not answer by its last path.
func (s *Set) saySilent() {
	if s.windows {
		return
	}
	for _, p := range s.peers {
		if p.buried {
			continue
		}
		for number := range p.paths {
			if p.paths[number].silent {
				s.root.SetSilent(s.rank, p.rank+1, number)
				return
			}
		}
	}
	s.root.SetSilent(s.rank, 0, 0)
}

// others tells whether the peer can be reached by another device than this one.
func (p *Peer) others(number int) bool {
	for i := range p.paths {
		if i != number && p.paths[i].state == Up {
			return true
		}
	}
	return false
}

// Answered notes that the peer has been heard on a device.
func (s *Set) Answered(p *Peer, device int) {
	at := &p.paths[device]
	if at.state == Up || p.buried {
		return
	}
	if at.handle == nil {
		if at.handle = s.list[device].endpoint.Peer(p.id); at.handle == nil {
			return
		}
	}
	s.setState(at, Up)
	s.disturbed.Store(true)
	for i := range p.paths {
		if last := &p.paths[i]; last.silent && i != device {
			s.doubt(p, i)
		}
	}
}

// doubt has no more sent by a path that is silent. One that is probed is taken down: so it is probed
// anew soon, and not as seldom as suci greets a peer that has not answered for long.
func (s *Set) doubt(p *Peer, device int) {
	at := &p.paths[device]
	if at.state == Probing {
		s.TakeDown(p, device)
		return
	}
	if at.silent = false; at.state == Up {
		at.retry = time.Now().Add(PathTime)
		s.setState(at, Doubted)
		s.disturbed.Store(true)
	}
}

func (s *Set) setState(at *path, to State) {
	if at.state.ailing() {
		s.ailing.Add(-1)
	}
	if to.ailing() {
		s.ailing.Add(1)
	}
	at.state = to
	s.startable = true
}

// TakeDown ends the use of a path, unless it is the last one that is up.
func (s *Set) TakeDown(p *Peer, device int) {
	at := &p.paths[device]
	if at.state == Up && !p.others(device) {
		return
	}
	handle := at.handle
	at.handle, at.silent, at.retry = nil, false, time.Now().Add(pathRetry)
	s.countFailure(at, device)
	s.setState(at, Down)
	if handle != nil {
		s.list[device].endpoint.Remove(handle) // ends all blocks on it
	}
	s.disturb()
}

// countFailure counts that a path which was in use cannot be any more.
func (s *Set) countFailure(at *path, device int) {
	if at.state != Up && at.state != Doubted {
		return
	}
	d := s.list[device]
	d.mu.Lock()
	d.use.Failures++
	d.mu.Unlock()
}

// TendPaths probes the paths that have been down for a while, and takes down those that have been
// doubted for long.
func (s *Set) TendPaths(now time.Time) {
	if now.Before(s.retryAt) {
		return
	}
	s.retryAt = now.Add(PathTime / 4)
	for _, p := range s.peers {
		if p.buried {
			continue
		}
		for i := range p.paths {
			at := &p.paths[i]
			switch {
			case !at.state.ailing() || now.Before(at.retry):
			case at.state == Down:
				s.probe(p, i)
			case p.others(i):
				s.TakeDown(p, i)
			}
		}
	}
}

// probe opens a session on a path, by a message that says nothing. When the peer answers the
// path is up.
func (s *Set) probe(p *Peer, device int) {
	at := &p.paths[device]
	handle, err := s.list[device].endpoint.Destination(p.id, at.addr)
	if err != nil {
		s.TakeDown(p, device)
		return
	}
	at.handle, at.silent = handle, false
	s.setState(at, Probing)
	_ = handle.TryWrite(suci.Block{Data: ping, Priority: messageLane}) // an error: a change tells
}
