package flow

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/pml/list"
)

// Sends are the sends that are not over, by their peers.
type Sends[O any] struct {
	peers   map[int32]*Peer[O]
	last    *Peer[O]   // the one used last
	busy    []*Peer[O] // those with sends underway
	turn    int        // whose turn it is of them
	waiting []*Peer[O] // those with sends that wait
}

// Peer are the sends to one peer, in the order in which they were begun: first those underway, which the peer most
// often takes in this order, then those that wait until their peer's ring has a free slot.
type Peer[O any] struct {
	rank     int32
	underway list.List[Transfer[O]]
	away     list.List[Transfer[O]] // underway, and ahead; apart, so that the others are asked first
	queue    list.List[Transfer[O]]
}

// To returns the sends to a peer.
func (s *Sends[O]) To(rank int32) *Peer[O] {
	if p := s.last; p != nil && p.rank == rank {
		return p
	}
	p := s.peers[rank]
	if p == nil {
		if s.peers == nil {
			s.peers = map[int32]*Peer[O]{}
		}
		p = &Peer[O]{rank: rank}
		s.peers[rank] = p
	}
	s.last = p
	return p
}

// Queued tells whether sends to the peer wait. Nothing overtakes them.
func (p *Peer[O]) Queued() bool { return !p.queue.Empty() }

// Ahead tells whether sends to the peer are ahead.
func (p *Peer[O]) Ahead() bool { return !p.away.Empty() }

// idle tells whether no send is underway.
func (p *Peer[O]) idle() bool { return p.underway.Empty() && p.away.Empty() }

// Busy tells whether any send is underway.
func (s *Sends[O]) Busy() bool { return len(s.busy) > 0 }

// Waiting tells whether any send waits.
func (s *Sends[O]) Waiting() bool { return len(s.waiting) > 0 }

// Start begins to look after a send that its peer knows of. ahead tells that nobody waits for it.
func (s *Sends[O]) Start(rank int32, t *Transfer[O], by btl.Transfer, ahead bool) {
	p := s.To(rank)
	if p.idle() {
		s.busy = append(s.busy, p)
	}
	if t.by = by; ahead {
		p.away.Push(&t.node)
	} else {
		p.underway.Push(&t.node)
	}
}

// Advance asks sends for progress, to each peer in the order in which they were begun, because receivers most often
// take them in this order. A send that is found done is followed by the next; of those that are not, it asks some
// number, of all peers in turn. So a rank with many sends underway makes steps in proportion to what its peers do, not
// to its own waits. An operation that a peer takes out of this order is found when more are asked: now and then in a
// wait, and all before the rank sleeps.
func (s *Sends[O]) Advance(most int, end func(*O, error)) {
	peers := len(s.busy)
	if peers == 1 {
		if s.busy[0].advance(most, end) {
			s.busy = s.busy[:0]
		}
		return
	}
	if most >= peers {
		s.turn = 0 // each peer once: what takes the place of one that is done was not asked yet
	}
	for range min(peers, most) {
		if s.turn >= len(s.busy) {
			s.turn = 0
		}
		if !s.busy[s.turn].advance(max(most/peers, 1), end) {
			s.turn++
			continue
		}
		last := len(s.busy) - 1
		s.busy[s.turn] = s.busy[last]
		s.busy = s.busy[:last]
	}
}

// advance asks the sends to one peer until n of them are not done, and fewer of those that are ahead. It returns
// whether none is left.
func (p *Peer[O]) advance(n int, end func(*O, error)) bool {
	step(&p.underway, n, end)
	if p.Ahead() {
		step(&p.away, max(n/Batch, 1), end)
	}
	return p.idle()
}

// step asks the sends of a list until n of them are not done.
func step[O any](l *list.List[Transfer[O]], n int, end func(*O, error)) {
	for at := l.Head(); at != nil && n > 0; {
		t := at.Of
		at = at.Next()
		if done, err := t.by.Progress(); done {
			l.Remove(&t.node)
			t.by = nil
			end(t.of, err)
		} else {
			n--
		}
	}
}

// Drop ends all sends underway with an error.
func (s *Sends[O]) Drop(err error, end func(*O, error)) {
	for _, p := range s.busy {
		drop(&p.underway, err, end)
		drop(&p.away, err, end)
	}
	s.busy = s.busy[:0]
}
