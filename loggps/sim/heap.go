package sim

import (
	"math"
	"math/bits"
)

// An event is something that happens, or is tried, at a time. Events of the same time
// happen in the order of their numbers.
type event struct {
	t     float64
	order uint64 // number, operation, mark and phase, from the highest bits on
}

// The phases of an operation. Each is an event of its own.
const (
	phaseStart  = iota // the operation begins
	phaseArrive        // its message, or the first of it, is at the receiver
	phaseHandle        // the receiver takes the request of a rendezvous
	phaseAck           // the acknowledgement is at the sender
	phaseData          // all of the message is at the receiver
	phaseFirst         // the first byte of the data of a rendezvous is at the receiver
)

// A mark says in which line an event has waited.
const (
	markNone = iota
	markLane
	markNIC
	markShared
)

const (
	phaseBits = 3
	markShift = phaseBits
	opShift   = phaseBits + 2
)

func makeEvent(t float64, number, what uint32) event {
	return event{t, uint64(number)<<32 | uint64(what)}
}

func makeWhat(id, phase uint32) uint32 { return id<<opShift | phase }

func (ev event) number() uint32 { return uint32(ev.order >> 32) }
func (ev event) what() uint32   { return uint32(ev.order) }
func (ev event) id() uint32     { return ev.what() >> opShift }
func (ev event) phase() uint32  { return ev.what() & (1<<phaseBits - 1) }
func (ev event) mark() uint32   { return ev.what() >> markShift & 3 }

// marked returns the event as one that has waited.
func (ev event) marked(mark uint64) event {
	ev.order = ev.order&^(3<<markShift) | mark<<markShift
	return ev
}

// less is 1 if a comes before b, else 0. Times are not negative, so their bits compare as
// they do. It takes no branch: which event is first cannot be predicted.
func less(a, b *event) int {
	_, borrow := bits.Sub64(a.order, b.order, 0)
	_, borrow = bits.Sub64(math.Float64bits(a.t), math.Float64bits(b.t), borrow)
	return int(borrow)
}

// eventHeap is a heap with four children a node: they share a cache line.
type eventHeap []event

func (h *eventHeap) push(ev event) {
	s := append(*h, ev)
	*h = s
	i := len(s) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if less(&ev, &s[parent]) == 0 {
			break
		}
		s[i] = s[parent]
		i = parent
	}
	s[i] = ev
}

func (h *eventHeap) pop() event {
	s := *h
	top, last := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	if len(s) == 0 {
		return top
	}
	s[s.sift(&last)] = last
	return top
}

// sift moves the hole on top down to where an event belongs.
func (s eventHeap) sift(ev *event) int {
	i := 0
	for 4*i+4 < len(s) {
		c := s[4*i+1 : 4*i+5 : 4*i+5]
		a, b := less(&c[1], &c[0]), 2+less(&c[3], &c[2])
		least := a + (b-a)*less(&c[b], &c[a])
		if less(&c[least], ev) == 0 {
			return i
		}
		s[i] = c[least]
		i = 4*i + 1 + least
	}
	least := 4*i + 1 // the last family may be short of children
	for c := least + 1; c < len(s); c++ {
		if less(&s[c], &s[least]) == 1 {
			least = c
		}
	}
	if least < len(s) && less(&s[least], ev) == 1 {
		s[i] = s[least]
		return least
	}
	return i
}
