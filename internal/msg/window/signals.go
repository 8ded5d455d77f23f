package window

import (
	"sync"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/job"
)

// signals are the messages without bytes by which the epochs of Post and Start begin and end.
type signals struct {
	own *comm.Comm

	mu      sync.Mutex
	sending []comm.Request // those that had no room
}

// Their tags.
const (
	tagPosted = 1 + iota
	tagCompleted
)

// tell sends a message without bytes to some ranks. It does not wait for room.
func (s *signals) tell(ranks []int, tag int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sending = dropDone(s.sending)
	for _, rank := range ranks {
		r, err := comm.Isend(s.own, comm.Standard, nil, 1, rank, tag)
		if err != nil {
			return comm.Bare(err)
		}
		s.sending = append(s.sending, r)
	}
	s.sending = dropDone(s.sending)
	return nil
}

// dropDone returns those of some sends that are not over.
func dropDone(sends []comm.Request) []comm.Request {
	left := sends[:0]
	for i := range sends {
		if _, done, _ := sends[i].Test(); !done {
			left = append(left, sends[i])
		}
	}
	return left
}

// explain is what the hang report says of a wait for such a message.
func (s *signals) explain(w *job.Waiting) {
	name := "start"
	if w.Tag == tagCompleted {
		name = "wait"
	}
	target := int(w.Peer)
	w.Op = job.OpCollective
	w.Collective = job.Collective{Name: name, Communicator: s.own.Name(), Need: job.NeedPeers}
	w.Collective.Miss(target)
}

// hear receives a message without bytes of each of some ranks.
func (s *signals) hear(ranks []int, tag int) error {
	for _, rank := range ranks {
		if _, err := comm.RecvBuffer(s.own, comm.Buffer{}, 1, rank, tag); err != nil {
			return comm.Bare(err)
		}
	}
	return nil
}

// came tells whether one of a rank has come.
func (s *signals) came(rank, tag int) (bool, error) {
	_, came, err := comm.Iprobe(s.own, rank, tag)
	return came, err
}

// settle returns when all messages are on their way.
func (s *signals) settle() error {
	s.mu.Lock()
	sends := s.sending
	s.sending = nil
	s.mu.Unlock()
	for i := range sends {
		if _, err := sends[i].Wait(); err != nil {
			return comm.Bare(err)
		}
	}
	return nil
}
