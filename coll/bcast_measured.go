package coll

import (
	"math/bits"

	"github.com/gopvas/gopvas/coll/cad"
)

// The broadcast of a vector of medium length between nodes. Whether a chain or a binomial tree takes less time
// depends on the bandwidth of the network, which only the ranks that have sent something know, each its own. So
// the root decides, and the others learn it from the first message that they get.
//
// That message goes down the binomial tree. It has the vector, or says that the vector comes down the chain.
//
// A member that gets no first message, since the one above it has gone, does not know the way. It tells those below
// it in the tree so, and the next one in the chain: that may know that the vector comes down the chain, and
// wait for pieces. The members of a subtree follow one another. So in the chain a member that does not know
// the way comes after another such one, or after one that has gone: nobody sends it pieces. A member that
// knows the way, and gets the vector down the tree, never takes what such a one tells it. That happens only after
// a member has gone, and nobody waits for it.

// bcastMeasured is done in calls that block, by members on several nodes.
func bcastMeasured(t *Team, s *cad.Steps) {
	buf, root := t.args.Send.Data, t.args.Root
	me, mask, way := t.relative(root), 1, cad.Here
	for mask < t.Size && me&mask == 0 {
		mask *= 2
	}
	switch {
	case me != 0:
		way = s.Receive(t.absolute(me-mask, root), buf)
	case t.chainPays(len(buf)):
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

// alongChain passes the pieces of the vector on to the next member. A member that has gone does not keep others from
// receiving and sending the rest.
func (t *Team) alongChain(s *cad.Steps, way cad.Way) {
	buf, root := t.args.Send.Data, t.args.Root
	me := t.relative(root)
	more, last := me > 0, me+1 == t.Size
	if way == cad.Nowhere {
		if !last {
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

// farPieces tells whether a vector between nodes has several pieces.
func farPieces(t *Team, n int) bool { return t.Size > 2 && n > leastFarPiece && t.far() }

// farMessage is what a message between nodes takes besides the time of its bytes, in ns: half a round trip, and
// the turn of a member that has slept.
const farMessage = 25e3

// chainPays tells whether n bytes take less time down a chain than down a binomial tree, as far as this rank knows
// the network.
func (t *Team) chainPays(n int) bool { return chainPays(t.Size, n, t.Engine.Bandwidth()) }

// chainPays: the first piece passes size-1 members, each of which then has the others to send; the messages of
// the tree that announce it come first. The tree has as many levels as size-1 has bits, and each sends the whole
// vector.
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
