package coll

import (
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/coll/order"
)

// Barrier, Bcast and Reduce as graphs.

// relative and absolute number the members from the root on.
func (t *Team) relative(root int) int           { return (t.Rank - root + t.Size) % t.Size }
func (t *Team) absolute(relative, root int) int { return (relative + root) % t.Size }

// graphBarrier: in round i everybody tells the member 2^i ahead that it has heard from
// all 2^i behind.
func graphBarrier(b *builder) {
	heard := cad.Start
	for d := 1; d < b.t.Size; d *= 2 {
		b.send(nil, b.t.neighbour(d), heard)
		heard = b.recv(nil, b.t.neighbour(-d), heard)
	}
}

// graphBarrierTree gathers to member 0 and comes back: twice the rounds, but only 2*Size
// messages, and each member sleeps twice at most.
func graphBarrierTree(b *builder) {
	t := b.t
	var heard []cad.Node
	mask := 1
	for ; mask < t.Size && t.Rank&mask == 0; mask *= 2 {
		if from := t.Rank + mask; from < t.Size {
			heard = append(heard, b.recv(nil, from))
		}
	}
	done := b.join(heard)
	if t.Rank != 0 {
		done = b.send(nil, t.Rank-mask, done)
	}
	b.down(nil, 0, done)
}

// graphBcastBinomial sends each piece down a binomial tree.
func graphBcastBinomial(b *builder) {
	b.segments(func(buf, _ []byte) { b.down(buf, b.a.Root, cad.Start) })
}

// down receives buf from the parent in a binomial tree, unless this is the root, and sends
// it to the children, those with the largest subtrees first.
func (b *builder) down(buf []byte, root int, there cad.Node) {
	t := b.t
	me, mask := t.relative(root), 1
	for mask < t.Size && me&mask == 0 {
		mask *= 2
	}
	if me != 0 {
		there = b.recv(buf, t.absolute(me-mask, root), there)
	}
	for m := mask / 2; m > 0; m /= 2 {
		if me+m < t.Size {
			b.send(buf, t.absolute(me+m, root), there)
		}
	}
}

// graphBcastChain sends the pieces from member to member, one behind the other. Over a network the
// last member waits for as many pieces as there are members, so they are shorter there.
func graphBcastChain(b *builder) {
	t, root := b.t, b.a.Root
	me := t.relative(root)
	b.whole = false
	if t.far() {
		b.piece = farPiece(len(b.a.Send.Data))
	}
	b.segments(func(buf, _ []byte) {
		there := cad.Start
		if me > 0 {
			there = b.recv(buf, t.absolute(me-1, root))
		}
		if me+1 < t.Size {
			b.send(buf, t.absolute(me+1, root), there)
		}
	})
}

// farPiece is the length of the pieces in which n bytes go down a chain of nodes.
func farPiece(n int) int { return min(max(n/16, leastFarPiece), graphPiece) }

// leastFarPiece is the length from which on the bytes of a message between nodes cost more than the
// message does.
const leastFarPiece = 4 << 10

// far tells whether some of the members are on other nodes. All members get the same answer.
func (t *Team) far() bool { return t.Engine.Routes().Memory(t.World) == nil }

// longForChain: a chain sends each byte once by each network device, and a binomial tree as often as
// it has levels, one after the other. Between nodes that pays from some 16 KiB for each member on, as
// measured with 3 to 8 nodes at 1 Gbit/s. Two members are no chain.
func longForChain(t *Team, n int) bool {
	long := 512 << 10
	if t.far() {
		long = min(long, t.Size*16<<10)
	}
	return t.Size > 2 && n > long
}

// graphReduce combines each piece up a tree.
func graphReduce(b *builder) {
	b.segments(func(own, result []byte) {
		if b.t.Rank != b.a.Root {
			result = nil
		}
		b.up(own, result, b.a.Root)
	})
}

// up combines all members' vectors up the tree of package order, to a root. It returns what this member holds at the
// end, which is in the given place if there is one, and the last node; that is, but at the root, the one that sends it.
//
// A vector of a right half is combined with what this member has. One of a left half comes to lie elsewhere, and
// what this member has is combined with it. So the last of these goes to the given place.
func (b *builder) up(own, into []byte, root int) (sum []byte, done cad.Node) {
	t := b.t
	last := lastLeft(t.Rank, root, t.Size)
	if sum = own; last == 0 && into != nil {
		sum, done = into, b.copy(into, own)
	}
	for half := 1; half < t.Size; half *= 2 {
		h := order.At(t.Rank, half, t.Size)
		if !h.Meet() {
			continue
		}
		left, right := h.Holders(root)
		switch {
		case t.Rank == left && right != root:
			if same(sum, own) && !same(into, own) {
				sum = make([]byte, len(own))
				done = b.copy(sum, own)
			}
			done = b.fold(sum, right, done)
		case t.Rank == left:
			return sum, b.send(sum, right, done)
		case right != root:
			return sum, b.send(sum, left, done)
		default:
			in, free := into, done // what this member gives may lie there
			if half != last || into == nil || same(sum, into) {
				in, free = make([]byte, len(own)), cad.Start
			}
			done = b.calc(in, sum, b.recv(in, left, free), done)
			sum = in
		}
	}
	if into != nil {
		sum, done = into, b.copy(into, sum, done)
	}
	return sum, done
}

// lastLeft is the half of the last block in which a vector of the left half comes to a member; 0: there is none.
func lastLeft(member, root, members int) (last int) {
	for half := 1; member == root && half < members; half *= 2 {
		if !order.At(member, half, members).Left() {
			last = half
		}
	}
	return last
}
