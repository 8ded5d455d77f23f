package devices

import (
	"context"
	"sync/atomic"

	"github.com/gopvas/gopvas/suci"
)

// Peer is a rank of another node. The engine's lock guards it.
type Peer struct {
	rank   int
	id     suci.ID
	paths  []path // by device
	found  bool   // its addresses are known, and its paths were opened
	buried bool   // has gone, and all that it has sent was handed over
	failed atomic.Pointer[error]

	// With several devices: see message.go.
	number       uint32 // of the next message
	unacked      []*sentMessage
	unackedBytes int
	settleAt     int    // how many messages have those that were acknowledged forgotten
	expected     uint32 // the number of the next message from the peer
	early        map[uint32]suci.Received
}

// Add makes a peer known: a rank, by its name in suci.
func (s *Set) Add(p *Peer, rank int, id suci.ID) {
	*p = Peer{rank: rank, id: id, paths: make([]path, len(s.list))}
	s.peers = append(s.peers, p)
}

// Rank is the rank of the peer, and ID its name in suci.
func (p *Peer) Rank() int   { return p.rank }
func (p *Peer) ID() suci.ID { return p.id }

// Buried tells whether Bury was called.
func (p *Peer) Buried() bool { return p.buried }

// Reachable tells whether a message can be sent to the peer.
func (p *Peer) Reachable() bool {
	for i := range p.paths {
		if p.paths[i].handle != nil {
			return !p.buried
		}
	}
	return false
}

// Find opens the paths to a peer as soon as its addresses are known, and tells whether it is reachable. It may be
// before that: by a path on which the peer has sent something.
func (s *Set) Find(p *Peer) bool {
	if p.found || s.root.Gone(p.rank) {
		return p.Reachable()
	}
	at := s.where(p.rank)
	for device, a := range at[:min(len(at), len(s.list))] {
		p.found = true
		if p.paths[device].addr = a; a.IsValid() {
			s.open(p, device)
		}
	}
	return p.Reachable()
}

// open opens a path that nothing has come by yet.
func (s *Set) open(p *Peer, device int) {
	at := &p.paths[device]
	switch {
	case at.state != Unknown:
	case device > 0 || p.usable():
		s.probe(p, device)
	default:
		var err error
		if at.handle, err = s.list[device].endpoint.Destination(p.id, at.addr); err != nil {
			s.Fail(p, err)
			return
		}
		s.setState(at, Up)
	}
}

// State is that of the path by a device.
func (p *Peer) State(device int) State { return p.paths[device].state }

// usable tells whether a path to the peer is up.
func (p *Peer) usable() bool { return p.others(-1) }

// Heard tells whether the peer has acknowledged all that was sent to it.
func (s *Set) Heard(p *Peer) bool {
	if !s.Acknowledged(p) {
		return false
	}
	for i := range p.paths {
		if at := &p.paths[i]; at.handle != nil && at.handle.QueueLength() > 0 {
			return false
		}
	}
	return true
}

// Bury forgets a peer that has gone. Blocks that were being received from it come to their end now, with an error.
func (s *Set) Bury(p *Peer) {
	for i := range p.paths {
		at, d := &p.paths[i], s.list[i]
		if at.handle == nil {
			at.handle = d.endpoint.Peer(p.id)
		}
		s.setState(at, Unknown)
		if at.handle != nil {
			d.endpoint.Remove(at.handle)
			at.handle = nil
		}
	}
	p.buried = true
	for number, r := range p.early {
		r.Free()
		delete(p.early, number)
	}
	s.settle(p)
}

// Flush waits until the peer has acknowledged all that was sent by the only device.
func (p *Peer) Flush(ctx context.Context) error { return p.paths[0].handle.Flush(ctx) }
