package shared

import (
	"math/bits"
	"sync/atomic"
)

// Nodes that are handed over. Those that any executor may take go into the queue of their
// graph, which has a place for each of its nodes. To add a node an executor counts up tail and
// writes the node to that place. To take one it reads the place at head, and counts up head by
// a compare-and-swap that includes the number of the issue: that fails if the graph has become
// another in between. Nodes that only the owner takes go onto a stack, which the owner takes
// as a whole.
//
// After handing a node over, an executor sets the graph's bit in its owner's pool, then the
// owner's bit in the job's root block. Then it wakes a rank that rests, unless enough ranks
// poll. An executor that looks for work goes the other way. It clears a bit behind which it
// finds nothing, looks again, and sets the bit if it then finds something. A rank that goes
// to sleep sets its bit in Resting (or Helping) and then looks for work once more: either it
// sees the node, or the executor that has handed it over sees the bit. Likewise a rank that
// ends its polling clears its bit and then looks once more: either it sees the node, or the
// executor that has handed it over sees that no rank polls.

// offer hands a node to any executor.
func (x *executor) offer(g *graph, n *node, owner int) {
	where := g.where.Load()
	level, slot := int(uint16(where>>16)), int(uint16(where))
	at := uint32(g.tail.Add(1) - 1)
	place := uint32((n.address() - g.nodes.Load()) / uint64(nodeSize))
	word(g.aux.Load(), at).Store(place + 1) // from here on g may be complete
	x.e.pool(owner).ready[level].set(slot)
	setBit(&x.e.work.Ready[level], owner)
	x.offered++
	if x.offered > x.takers() && !x.e.wakeOne() {
		x.stranded++
	}
}

// takers returns how many executors will take offered nodes without being woken.
func (x *executor) takers() int {
	n := bits.OnesCount64(x.e.work.Polling.Load())
	if x.helping {
		n++
	}
	return n
}

// handOver hands a node to the owner of its graph.
func (x *executor) handOver(g *graph, n *node, owner int) {
	slot := int(uint16(g.where.Load()))
	place := uint32((n.address() - g.nodes.Load()) / uint64(nodeSize))
	for {
		top := g.own.Load()
		n.link.Store(uint32(top & indexMask))
		if g.own.CompareAndSwap(top, top&^indexMask|uint64(place+1)) {
			break
		}
	}
	x.e.pool(owner).own.set(slot)
	x.e.job.Inbox(owner).Notify()
	x.e.job.Share(owner).Helper.Notify()
}

func (m *mask) set(slot int) { setBit(&m[slot/64], slot) }

// setBit sets the bit of i modulo 64, and writes only if it is not set.
func setBit(w *atomic.Uint64, i int) {
	if bit := uint64(1) << (i % 64); w.Load()&bit == 0 {
		w.Or(bit)
	}
}

// clearBit clears a bit, and sets it again if there is a reason.
func clearBit(w *atomic.Uint64, i int, reason func() bool) {
	w.And(^(uint64(1) << (i % 64)))
	if reason() {
		setBit(w, i)
	}
}

// take takes a node that any executor may, of the first priority that there is.
func (e *Engine) take() (ref, bool) {
	for level := range e.work.Ready {
		w := &e.work.Ready[level]
		for set := onesFrom(w.Load(), e.rank); set.left != 0; {
			b := set.next()
			if r, ok := e.takeFrom(b, level); ok {
				return r, true
			}
			clearBit(w, b, func() bool {
				return e.anyRank(b, func(p *pool) bool { return p.ready[level].any() })
			})
		}
	}
	return ref{}, false
}

// takeFrom takes a node of the ranks that share a bit.
func (e *Engine) takeFrom(bit, level int) (r ref, ok bool) {
	e.anyRank(bit, func(p *pool) bool {
		for i := range p.ready[level] {
			w := &p.ready[level][i]
			for set := onesFrom(w.Load(), e.rank); set.left != 0; {
				b := set.next()
				g := &p.graphs[i*64+b]
				if r, ok = g.take(); ok {
					return true
				}
				clearBit(w, b, g.offers)
			}
		}
		return false
	})
	return r, ok
}

// anyRank asks for the pools of all ranks that share a bit, until one says true.
func (e *Engine) anyRank(bit int, ask func(*pool) bool) bool {
	for rank := bit; rank < e.job.Ranks(); rank += 64 {
		if p := e.pool(rank); p != nil && ask(p) {
			return true
		}
	}
	return false
}

func (m *mask) any() bool {
	for i := range m {
		if m[i].Load() != 0 {
			return true
		}
	}
	return false
}

// offers tells whether there is something to take. A node that is added later is not missed:
// its executor sets the bits afterwards.
func (g *graph) offers() bool {
	head, aux := g.head.Load(), g.aux.Load()
	at := head & indexMask
	return at < g.tail.Load() && g.issue.Load() == head>>indexBits && word(aux, uint32(at)).Load() != 0
}

// take takes a node out of the queue. False may also mean that the one who has counted
// up tail has not written the place yet: then it will set the bits.
func (g *graph) take() (ref, bool) {
	for {
		head := g.head.Load()
		at := head & indexMask
		nodes, aux := g.nodes.Load(), g.aux.Load()
		if at >= g.tail.Load() || g.issue.Load() != head>>indexBits {
			return ref{}, false
		}
		place := word(aux, uint32(at)).Load()
		if place == 0 {
			return ref{}, false
		}
		// If the swap succeeds this is still the issue that it was when head was
		// read, as it cannot end before the node is done: so all is from it.
		if g.head.CompareAndSwap(head, head+1) {
			return ref{g, nodeAt(nodes + uint64(place-1)*uint64(nodeSize))}, true
		}
	}
}

// runOwn executes what was handed to this rank.
func (x *executor) runOwn() (did bool) {
	p := x.e.mine.Load()
	if p == nil {
		return false
	}
	for i := range p.own {
		for set := onesFrom(p.own[i].Load(), 0); set.left != 0; {
			b := set.next()
			g := &p.graphs[i*64+b]
			p.own[i].And(^(uint64(1) << b)) // first: a later push sets it again
			did = x.takeOwn(g) || did
		}
	}
	return did
}

// takeOwn takes the whole stack of a graph of this rank, and executes it.
func (x *executor) takeOwn(g *graph) bool {
	for {
		top := g.own.Load()
		if top&indexMask == 0 {
			return false
		}
		if !g.own.CompareAndSwap(top, top&^indexMask) {
			continue
		}
		nodes := g.nodes.Load()
		for place := uint32(top & indexMask); place != 0; {
			n := nodeAt(nodes + uint64(place-1)*uint64(nodeSize))
			place = n.link.Load()
			x.stack = append(x.stack, ref{g, n})
		}
		x.drain()
		return true
	}
}

// ones are the bits that are set in a word, beginning at a rank's own, so that not all
// ranks begin at the same.
type ones struct {
	left uint64 // rotated by turn
	turn int
}

func onesFrom(w uint64, rank int) ones {
	return ones{left: bits.RotateLeft64(w, -(rank % 64)), turn: rank % 64}
}

// next takes the first bit, which there is.
func (o *ones) next() (bit int) {
	bit = (bits.TrailingZeros64(o.left) + o.turn) % 64
	o.left &= o.left - 1
	return bit
}

// sleepers tells whether there is a helper or a rank that can be woken.
func (e *Engine) sleepers() bool { return e.work.Helping.Load()|e.work.Resting.Load() != 0 }

// wakeOne wakes a helper or a rank that rests, if there is one.
func (e *Engine) wakeOne() bool {
	return e.sleepers() &&
		(e.wakeIn(&e.work.Helping, func(rank int) bool { return e.job.Share(rank).Helper.Notify() }) ||
			e.wakeIn(&e.work.Resting, func(rank int) bool { return e.job.Inbox(rank).Notify() }))
}

// wakeIn wakes one of those whose bits are set, and clears the bit, so that the next
// to be woken is another.
func (e *Engine) wakeIn(w *atomic.Uint64, wake func(rank int) bool) bool {
	for set := onesFrom(w.Load(), e.rank); set.left != 0; {
		b := set.next()
		// With more ranks than bits a bit stands for others too, and stays.
		if bit := uint64(1) << b; e.job.Ranks() <= 64 && w.And(^bit)&bit == 0 {
			continue
		}
		for rank := b; rank < e.job.Ranks(); rank += 64 {
			if e.beside(rank) && wake(rank) {
				return true
			}
		}
	}
	return false
}

// Pending implements pml.Helper.
func (e *Engine) Pending() bool {
	if e.work.Used.Load() == 0 {
		return false
	}
	for level := range e.work.Ready {
		if e.work.Ready[level].Load() != 0 {
			return true
		}
	}
	p := e.mine.Load()
	return p != nil && p.own.any()
}

// Help implements pml.Helper: it executes what was handed to this rank, and one of the
// nodes that any executor may take, with all that this makes ready.
func (e *Engine) Help() bool {
	x := e.enter(true)
	defer x.leave()
	did := x.runOwn()
	if !x.takeOne() {
		return did
	}
	x.drain()
	return true
}

// takeOne takes a node that any executor may, to execute it if this rank can.
func (x *executor) takeOne() bool {
	r, ok := x.e.take()
	if !ok {
		return false
	}
	if owner := int(high(r.g.where.Load())); owner != x.e.rank && !x.e.can(r.g, r.n, owner) {
		x.handOver(r.g, r.n, owner)
	} else {
		x.stack = append(x.stack, r)
	}
	return true
}

// Polling implements pml.Helper. With more ranks than bits some that poll may be
// overlooked.
func (e *Engine) Polling(yes bool) {
	if yes && e.work.Used.Load() != 0 {
		setBit(&e.work.Polling, e.rank)
	} else if bit := uint64(1) << (e.rank % 64); e.work.Polling.Load()&bit != 0 {
		e.work.Polling.And(^bit)
	}
}

// Resting implements pml.Helper.
func (e *Engine) Resting(yes bool) {
	if e.work.Used.Load() == 0 {
		return // the rank that makes it 1 wakes all that sleep
	}
	if yes {
		setBit(&e.work.Resting, e.rank)
	} else if e.job.Ranks() <= 64 {
		e.work.Resting.And(^(uint64(1) << e.rank))
	}
}
