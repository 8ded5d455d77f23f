package coll

import (
	"slices"
	"sync/atomic"
)

// What a member knows of its last calls, for members that ask about them (asking.go).

// made is a call that this member has made, or several in a row that are alike.
type made struct {
	first, last uint64 // their numbers; last by atomic stores
	call        uint64 // signature; cad.RefusedCall: it was refused
	size        int    // of an answer about an exchange: sends, receives
	element     int    // length of those of the operator
	commutative bool
	shares      []int // of a ReduceScatter and an irregular Allgather: bytes of each member
	out, in     []int // of an exchange whose edges only this member knows: the other ends
	lists       bool  // one of these is not empty
}

// What a member does for the one that asks, in an answer about an exchange.
const (
	sends = 1 << iota
	receives
)

// history has the last calls of a kind: those that block, or those that do not.
type history struct {
	past   []made
	latest int // the place of the last one in past
}

// remembered is how many of them there are at most: more than the slots of a board let a member be ahead of others.
const remembered = 256

// goOn notes a call that is like the one before it. It returns false if it is not, or may be so.
func (h *history) goOn(turn, call uint64, size int, op *Op) bool {
	if h.latest >= len(h.past) {
		return false
	}
	m := &h.past[h.latest]
	if m.call != call || m.last+1 != turn || m.size != size || m.lists ||
		op != nil && (op.Size != m.element || op.Commutative != m.commutative) {
		return false
	}
	atomic.StoreUint64(&m.last, turn)
	return true
}

// again notes a call that is like the one before it. It returns false if it is not.
func (h *history) again(turn, call uint64, size int, a *Args, e *Exchange) bool {
	if len(h.past) == 0 {
		return false
	}
	m := &h.past[h.latest]
	if m.last+1 != turn || m.call != call || m.size != size ||
		a.Op != nil && (a.Op.Size != m.element || a.Op.Commutative != m.commutative) ||
		!a.alike(m.shares) || !leads(e.Out, m.out) || !leads(e.In, m.in) {
		return false
	}
	atomic.StoreUint64(&m.last, turn)
	return true
}

// add notes a call of so many members.
func (h *history) add(turn, call uint64, size int, a *Args, e *Exchange, members int) {
	if len(h.past) < remembered {
		h.past = append(h.past, made{})
		h.latest = len(h.past) - 2
	}
	h.latest = (h.latest + 1) % len(h.past)
	m := &h.past[h.latest]
	*m = made{first: turn, last: turn, call: call, size: size, shares: m.shares[:0], out: m.out[:0], in: m.in[:0]}
	if a.Op != nil {
		m.element, m.commutative = a.Op.Size, a.Op.Commutative
	}
	if of := a.shares(); of != nil {
		for i := range members {
			m.shares = append(m.shares, of.length(i))
		}
	}
	for _, x := range e.Out {
		m.out = append(m.out, x.Member)
	}
	for _, x := range e.In {
		m.in = append(m.in, x.Member)
	}
	m.lists = len(m.shares)+len(m.out)+len(m.in) > 0
}

// alike tells whether the members have these shares in a call.
func (a *Args) alike(shares []int) bool {
	of := a.shares()
	if of == nil {
		return len(shares) == 0
	}
	for i, n := range shares {
		if of.length(i) != n {
			return false
		}
	}
	return len(shares) > 0
}

// leads tells whether edges lead to these members.
func leads(edges []Edge, members []int) bool {
	return slices.EqualFunc(edges, members, func(e Edge, member int) bool { return e.Member == member })
}

// length is the length of the block of a member.
func (b *Buffer) length(member int) int {
	if b.typed() {
		return b.Parts[member].Len()
	}
	_, n := b.block(member)
	return n
}

// shares returns the buffer of a call in which members differ in lengths that all of them know.
func (a *Args) shares() *Buffer {
	switch {
	case a.Kind == ReduceScatter:
		return &a.Send
	case a.Kind == Allgather && a.Irregular:
		return &a.Recv
	}
	return nil
}

// find returns the call of a number; known is false if this member has not made it yet. It returns a call of the kind
// None that it has forgotten.
func (h *history) find(turn uint64) (m made, known bool) {
	if len(h.past) == 0 || atomic.LoadUint64(&h.past[h.latest].last) < turn {
		return m, false
	}
	for i := range h.past {
		if p := &h.past[i]; p.first <= turn && turn <= atomic.LoadUint64(&p.last) {
			return *p, true
		}
	}
	return m, true
}
