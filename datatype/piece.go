package datatype

// The normal form of a layout
//
// A piece is a sequence of bytes in memory, in the order of the packed stream. It is one of
//
//	run    size bytes without a gap
//	loop   count times the same piece, the i-th at i*stride
//	list   pieces of any form, each at its displacement
//
// A loop or list is a node, which pieces share. These invariants hold:
//
//  1. A piece has at least one byte, or it is empty and has no node. No node
//     holds an empty piece.
//  2. The first byte of a node is at displacement 0 of that node. The displacement of
//     a layout is therefore in one place, the piece, and nodes can be shared.
//  3. A loop has at least two rounds. A loop over runs leaves gaps or overlaps: its
//     stride is not the size of the run. A loop over a loop is not just a longer loop: its
//     stride is not count times stride of the inner one.
//  4. A list has at least two entries. Two runs that touch are not neighbours in it. It is
//     no loop: not all its entries are alike and equally far apart.
//  5. A list in a list is there only if the two have more than maxInline entries in all.
//     (A list in a small list is dissolved into it.)
//  6. All sizes, displacements and bounds of a node fit into an int64.
//
// By 3, each loop at least doubles the size, so there are less than 63 on a path. By 5,
// lists nest only if they are long. So maxDepth is reached only by types that are made of
// ten thousands of others.
const (
	maxInline = 256
	maxDepth  = 128
	minRounds = 4 // in a list, fewer equal entries are not made a loop: they take less space as they are
)

type piece struct {
	disp int64
	size int64 // in the packed stream
	node *node // nil: a run
}

type node struct {
	size   int64
	lo, hi int64 // bounds of the bytes, hi behind the last; lo <= 0
	depth  int

	// A loop:
	count, stride int64
	inner         piece // at displacement 0

	// A list, of which count is 0:
	entries []piece
}

func (n *node) isLoop() bool { return n.count != 0 }

func run(disp, size int64) piece { return piece{disp: disp, size: size} }

func (p piece) empty() bool { return p.size == 0 }

func (p piece) isRun() bool { return p.node == nil }

func (p piece) depth() int {
	if p.node == nil {
		return 0
	}
	return p.node.depth
}

// bounds are the lowest byte and the one behind the highest.
func (p piece) bounds(x *exact) (lo, hi int64) {
	if p.node == nil {
		return p.disp, x.add(p.disp, p.size)
	}
	return x.add(p.disp, p.node.lo), x.add(p.disp, p.node.hi)
}

// moved is the piece at another place.
func (p piece) moved(x *exact, by int64) piece {
	if !p.empty() {
		p.disp = x.add(p.disp, by)
	}
	return p
}

// same tells whether two pieces differ in their displacement only. It may miss that two
// lists are alike, for comparing them could take exponential time.
func (p piece) same(q piece) bool {
	for p.size == q.size && p.node != q.node {
		a, b := p.node, q.node
		if a == nil || b == nil || !a.isLoop() || a.count != b.count || a.stride != b.stride {
			return false
		}
		p, q = a.inner, b.inner
	}
	return p.size == q.size
}

// loop makes the piece for count times p, with the given stride.
func loop(x *exact, count, stride int64, p piece) piece {
	switch {
	case count == 0 || p.empty():
		return piece{}
	case count == 1:
		return p
	case p.isRun() && p.size == stride:
		return run(p.disp, x.mul(count, stride))
	}
	n := &node{size: x.mul(count, p.size), count: count, stride: stride, inner: p, depth: p.depth() + 1}
	if in := p.node; in != nil && in.isLoop() && isProduct(stride, in.count, in.stride) {
		n.count, n.stride, n.inner, n.depth = x.mul(count, in.count), in.stride, in.inner, in.depth
	}
	n.inner.disp = 0
	lo, hi := n.inner.bounds(x)
	last := x.mul(n.count-1, n.stride)
	n.lo, n.hi = x.add(lo, min(0, last)), x.add(hi, max(0, last))
	return piece{disp: p.disp, size: n.size, node: n}
}

// isProduct tells whether a*b is product, without a wrap-around.
func isProduct(product, a, b int64) bool {
	var x exact
	return x.mul(a, b) == product && !x.overflow
}
