package coll

import (
	"math/bits"

	"github.com/gopvas/gopvas/internal/coll/cad"
)

// The broadcast of a vector of medium length between nodes, down a chain or a binomial tree. The faster one depends on
// the bandwidth. Only a rank that has sent something knows it. So the root decides.
//
// Invariant: all members that get a first message learn the same way. The first message goes down the tree. It
// carries the vector (Here), or says that pieces follow down the chain (Elsewhere).
//
// If a member's parent has failed, the member does not know the way (Nowhere). It sends the failure to its children,
// and to its successor in the chain, who may be waiting for pieces. A subtree is a run of successive members. So the
// predecessor of a Nowhere member is Nowhere too, or has failed, and sends no pieces. A parent that dies may have
// reached some of its children and not others. Then a piece may be sent to a Nowhere member, so pieces are eager:
// their sender does not wait. What a member does not receive in such a call, it never does.

// bcastMeasured is for calls that block.
func bcastMeasured(t *Team, s *cad.Steps) {
	buf, root := t.args.Send.Data, t.args.Root
	me, mask, way := t.relative(root), 1, cad.Here
	for mask < t.Size && me&mask == 0 {
		mask *= 2
	}
	if me != 0 {
		way = s.Receive(t.absolute(me-mask, root), buf)
	} else if t.takesChain(len(buf)) {
		way = cad.Elsewhere
	}
	for mask /= 2; mask > 0; mask /= 2 {
		if me+mask >= t.Size {
			continue
		}
		switch child := t.absolute(me+mask, root); way {
		case cad.Here:
			s.Exchange(child, buf, -1, nil)
		case cad.Elsewhere:
			s.Divert(child)
		default:
			s.Lose(child)
		}
	}
	if way != cad.Here {
		t.alongChain(s, way)
	}
}

// alongChain receives each piece from the predecessor and sends it to the successor. After a failure of the
// predecessor it sends the remaining pieces as spoilt.
func (t *Team) alongChain(s *cad.Steps, way cad.Way) {
	buf, root := t.args.Send.Data, t.args.Root
	me := t.relative(root)
	more, last := me > 0, me+1 == t.Size
	if way == cad.Nowhere {
		if me&1 != 0 && !last { // the successor of an even member is its child
			s.Lose(t.absolute(me+1, root))
		}
		return
	}
	for n := farPiece(len(buf)); len(buf) > 0; {
		piece := buf[:min(n, len(buf))]
		buf = buf[len(piece):]
		if more {
			more = s.Receive(t.absolute(me-1, root), piece) == cad.Here
		}
		if !last {
			s.Exchange(t.absolute(me+1, root), piece, -1, nil)
		}
	}
}

// medium tells whether a vector between nodes has several pieces.
func medium(t *Team, n int) bool { return t.Size > 2 && n > leastFarPiece && t.far() }

// takesChain is the root's decision.
func (t *Team) takesChain(n int) bool {
	bandwidth, eager := t.Engine.Network()
	return farPiece(n) <= eager && chainPays(t.Size, n, bandwidth)
}

// farMessage is the cost of a message between nodes without its bytes, in ns: half a round trip, and the wake-up of a
// sleeping receiver.
const farMessage = 25e3

// chainPays tells whether a chain takes less time than a binomial tree. Tree: one message with n bytes per level;
// size-1 has as many bits as there are levels. Chain: one empty message per level, then size-1 hops of the first piece,
// then the other pieces.
func chainPays(size, n int, bandwidth float64) bool {
	if bandwidth == 0 {
		return false
	}
	sent := func(messages, bytes int) float64 {
		return float64(messages) * (farMessage + float64(bytes)*1e9/bandwidth)
	}
	levels, piece := bits.Len(uint(size-1)), farPiece(n)
	return sent(levels, 0)+sent(size-2+(n+piece-1)/piece, piece) < sent(levels, n)
}
