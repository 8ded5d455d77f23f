package coll

import "github.com/gopvas/gopvas/internal/coll/cad"

// The algorithms by messages that are written by hand: those of short calls, and of two
// members, which a graph would slow down.

// barrierDissemination is graphBarrier.
func barrierDissemination(t *Team, s *cad.Steps) {
	for d := 1; d < t.Size; d *= 2 {
		s.Exchange(t.neighbour(d), nil, t.neighbour(-d), nil)
	}
}

// bcastBinomial is graphBcastBinomial.
func bcastBinomial(t *Team, s *cad.Steps) {
	buf, root := t.args.Send.Data, t.args.Root
	me, mask := t.relative(root), 1
	for mask < t.Size && me&mask == 0 {
		mask *= 2
	}
	if me != 0 {
		s.Exchange(-1, nil, t.absolute(me-mask, root), buf)
	}
	for mask /= 2; mask > 0; mask /= 2 {
		if me+mask < t.Size {
			s.Exchange(t.absolute(me+mask, root), buf, -1, nil)
		}
	}
}

// allreduceDoubling is graphAllreduceDoubling.
func allreduceDoubling(t *Team, s *cad.Steps) {
	n := len(t.args.Send.Data)
	power := 1
	for power*2 <= t.Size {
		power *= 2
	}
	extra := t.Size - power // pairs that join
	sum := t.args.Recv.Data[:n]
	copy(sum, t.args.Send.Data)
	buf := t.temp(n)
	me := t.Rank - extra
	if t.Rank < 2*extra {
		if t.Rank%2 != 0 {
			s.Exchange(t.Rank-1, sum, -1, nil)
			s.Exchange(-1, nil, t.Rank-1, sum)
			return
		}
		s.Exchange(-1, nil, t.Rank+1, buf)
		t.applyIn(s, sum, buf)
		me = t.Rank / 2
	}
	for mask := 1; mask < power; mask *= 2 {
		other := me ^ mask
		peer := other + extra
		if other < extra {
			peer = other * 2
		}
		s.Exchange(peer, sum, peer, buf)
		if other > me {
			t.applyIn(s, sum, buf)
		} else {
			t.applyIn(s, buf, sum)
			copy(sum, buf)
		}
	}
	if t.Rank < 2*extra {
		s.Exchange(t.Rank+1, sum, -1, nil)
	}
}

// exchangeBlocks is Allgather and Alltoall of two members: each sends the other one block.
func exchangeBlocks(t *Team, s *cad.Steps) {
	a, other := &t.args, 1-t.Rank
	own, out := a.Send.Data, a.Send.Data
	if a.Kind == Alltoall {
		own, out = a.Send.Part(t.Rank), a.Send.Part(other)
	}
	s.Exchange(other, out, other, a.Recv.Part(other))
	copy(a.Recv.Part(t.Rank), own)
}

// applyIn is apply between steps.
func (t *Team) applyIn(s *cad.Steps, inout, in []byte) {
	if s.Failed() {
		return
	}
	t.apply(inout, in)
	s.Note(t.failure)
}
