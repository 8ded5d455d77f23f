package coll

import (
	"slices"
	"sync/atomic"
)

// What a member knows of its last calls, for members that ask about them (asking.go).

// made is a call that this member has made, or several calls in a row that are alike.
type made struct {
	first, last uint64 // their numbers; last by atomic stores, see goOn
	call        uint64 // signature; cad.RefusedCall: it was refused
	size        int    // of an answer about an exchange: sends, receives
	element     int32  // length of those of the operator
	commutative bool   // the operator
	exact       bool   // likewise
	many        bool   // lists has something
	lists       *lists // nil: nothing yet
}

// lists are what is known of each member. Few calls have any.
type lists struct {
	shares  []int // of a ReduceScatter and an irregular Allgather: bytes of each member
	out, in []int // of an exchange whose edges only this member knows: the other ends
}

// What a member does for the one that asks, in an answer about an exchange.
const (
	sends = 1 << iota
	receives
)

// What an operator is, in an answer.
const (
	commutes = 1 << iota
	exact
)

// history has the last calls of a kind: those that block, or those that do not.
type history struct {
	past   []made
	latest int // the place of the last one in past
}

// remembered bounds the entries of a history: they are more than the calls by which the slots of a board let a member
// be ahead of others.
const remembered = 256

// goOn notes a call that is like the one before it. It returns false if it is not, or may be so. alone: no other
// goroutine answers, and a store need not be atomic, which takes longer than all else here.
func (h *history) goOn(turn, call uint64, size int, op *Op, alone bool) bool {
	if h.latest >= len(h.past) {
		return false
	}
	m := &h.past[h.latest]
	if m.last+1 != turn || !m.like(call, size, op) || m.many {
		return false
	}
	if alone {
		m.last = turn
	} else {
		atomic.StoreUint64(&m.last, turn)
	}
	return true
}

// retract takes back the last call.
func (h *history) retract(turn uint64) {
	if m := &h.past[h.latest]; m.last == turn {
		atomic.StoreUint64(&m.last, turn-1)
	}
}

func (m *made) like(call uint64, size int, op *Op) bool {
	return m.call == call && m.size == size &&
		(op == nil || int32(op.Size) == m.element && op.Commutative == m.commutative && op.Exact == m.exact)
}

// again notes a call that is like the one before it. It returns false if it is not.
func (h *history) again(turn, call uint64, size int, a *Args, e *Exchange) bool {
	if len(h.past) == 0 {
		return false
	}
	m := &h.past[h.latest]
	if m.last+1 != turn || !m.like(call, size, a.Op) {
		return false
	}
	if of := m.of(); !a.alike(of.shares) || !leads(e.Out, of.out) || !leads(e.In, of.in) {
		return false
	}
	atomic.StoreUint64(&m.last, turn)
	return true
}

// of returns the lists of a call, which may be empty.
func (m *made) of() lists {
	if !m.many {
		return lists{}
	}
	return *m.lists
}

// add notes a call of so many members.
func (h *history) add(turn, call uint64, size int, a *Args, e *Exchange, members int) {
	if len(h.past) < remembered {
		h.past = append(h.past, made{})
		h.latest = len(h.past) - 2
	}
	if h.latest++; h.latest == len(h.past) {
		h.latest = 0
	}
	m := &h.past[h.latest]
	m.first, m.last, m.call, m.size, m.many = turn, turn, call, size, false
	if m.element, m.commutative, m.exact = 0, false, false; a.Op != nil {
		m.element, m.commutative, m.exact = int32(a.Op.Size), a.Op.Commutative, a.Op.Exact
	}
	of := a.shares()
	if of == nil && len(e.Out)+len(e.In) == 0 {
		return
	}
	if m.many = true; m.lists == nil {
		m.lists = new(lists)
	}
	l := m.lists
	l.shares, l.out, l.in = l.shares[:0], l.out[:0], l.in[:0]
	if of != nil {
		for i := range members {
			l.shares = append(l.shares, of.length(i))
		}
	}
	for _, x := range e.Out {
		l.out = append(l.out, x.Member)
	}
	for _, x := range e.In {
		l.in = append(l.in, x.Member)
	}
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
// None that it has forgotten. The call is read under the lock, but for last, which goOn may store meanwhile.
func (h *history) find(turn uint64) (m *made, known bool) {
	if len(h.past) == 0 || atomic.LoadUint64(&h.past[h.latest].last) < turn {
		return nil, false
	}
	for i := range h.past {
		if m := &h.past[i]; m.first <= turn && turn <= atomic.LoadUint64(&m.last) {
			return m, true
		}
	}
	return new(made), true
}
