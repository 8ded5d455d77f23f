package net

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gopvas/gopvas/suci"
)

// Landings. The receiver of a long message grants it a landing: a buffer with a number. The
// sender cuts the bytes as it likes, and sends each piece as a block of suci to a place, which
// says landing and offset. So pieces come by any device, in any order, and the receiver need
// not know how the sender divides them. It only counts what has come.
//
// A piece may come twice: the sender gives a device up, and sends its pieces by another, while
// the first has delivered a part of one, or all of it. Until a block is whole its memory may hold
// anything: packets are received where the next ones of the block belong, before it is known what
// they are. So no block writes to bytes that are there already, or that another one is writing. It
// comes to memory of its own, which is copied when all others have ended. The buffer is
// not free before all blocks that fill it have ended. See recvTransfer.

const (
	landingBits = 12 // of a place; the rest is the offset in units
	mostLanding = 1<<landingBits - 1
	offsetBits  = 32 - landingBits
	leastUnit   = 8 // as a power of two
)

// unitOf returns the unit of offsets for so many bytes, as a power of two: pieces begin at its
// multiples.
func unitOf(n int) (shift int) {
	for shift = leastUnit; n>>shift >= 1<<offsetBits; shift++ {
	}
	return shift
}

// landing is a buffer that pieces come to.
type landing struct {
	t     *recvTransfer
	from  suci.ID
	buf   []byte
	shift int
	there spans     // what has come, in buf or apart
	open  []filling // blocks that were begun there and not read
	apart []filling // blocks that were read, to be copied to buf
}

// filling is a block on its way to a landing.
type filling struct {
	device int
	span
	own []byte // where it comes to instead, or nil
}

// landings are the landings of a rank, by number from 1 on. Endpoints ask for them in any
// goroutine.
type landings struct {
	mu   sync.Mutex
	list []*landing
	free []uint32 // numbers, a ring: first is that which has been free for the longest
	head int

	pieces atomic.Uint64 // that have left this rank, or never will
}

// grant makes a landing; number 0 means that there are too many.
func (s *landings) grant(t *recvTransfer, from suci.ID, buf []byte) (number uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if number = s.number(); number == 0 {
		return 0
	}
	l := s.list[number]
	l.t, l.from, l.buf, l.shift = t, from, buf, unitOf(len(buf))
	return number
}

// number returns a free number: of many, that which was used longest ago, so that late packets
// of its last use are gone.
func (s *landings) number() (number uint32) {
	const many = 64
	switch n := len(s.list); {
	case len(s.free)-s.head >= many || n > mostLanding && len(s.free) > s.head:
		number = s.free[s.head]
		s.head++
	case n > mostLanding:
		return 0
	default:
		number = uint32(max(n, 1)) // 0 is no number
		for len(s.list) <= int(number) {
			s.list = append(s.list, &landing{})
		}
	}
	if s.head >= many && s.head >= len(s.free)/2 {
		s.free = s.free[:copy(s.free, s.free[s.head:])]
		s.head = 0
	}
	return number
}

// locate is suci.Options.Locate.
func (s *landings) locate(d *device, from suci.ID, place uint32, length int) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.of(from, place)
	if l == nil {
		return nil
	}
	at := int(place&(1<<offsetBits-1)) << l.shift
	if at+length > len(l.buf) {
		return nil
	}
	f := filling{device: d.number, span: span{at, at + length}}
	if slices.ContainsFunc(l.open, func(o filling) bool { return o.meets(f.span) }) ||
		slices.ContainsFunc(l.there, f.meets) {
		f.own = make([]byte, length)
	}
	l.open = append(l.open, f)
	if f.own != nil {
		return f.own
	}
	return l.buf[f.from:f.to:f.to]
}

// of returns the landing of a place that a peer may send to.
func (s *landings) of(from suci.ID, place uint32) *landing {
	number := place >> offsetBits
	if int(number) >= len(s.list) || s.list[number].t == nil || s.list[number].from != from {
		return nil
	}
	return s.list[number]
}

// ended notes that a block has ended, and whether it is whole: then fresh of its bytes had not come
// before. It returns nil if locate has given the block no buffer of a landing that is open. Blocks
// of a device end in the order in which they began.
func (s *landings) ended(d *device, from suci.ID, place uint32, whole bool) (t *recvTransfer, fresh int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.of(from, place)
	if l == nil {
		return nil, 0
	}
	at := int(place&(1<<offsetBits-1)) << l.shift
	i := slices.IndexFunc(l.open, func(f filling) bool { return f.device == d.number && f.from == at })
	if i < 0 {
		return nil, 0 // refused by locate, and abandoned by its sender later
	}
	f := l.open[i]
	l.open = slices.Delete(l.open, i, i+1)
	if !whole {
		return l.t, 0
	}
	if f.own != nil {
		l.apart = append(l.apart, f)
	}
	return l.t, l.there.add(f.from, f.to)
}

// close ends a landing. It returns false, and a device, if a block is being received there.
func (s *landings) close(number uint32) (device int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.list[number]
	if len(l.open) > 0 {
		return l.open[0].device, false
	}
	for _, f := range l.apart {
		copy(l.buf[f.from:], f.own)
	}
	clear(l.apart)
	l.t, l.buf, l.apart, l.there = nil, nil, l.apart[:0], l.there[:0]
	s.free = append(s.free, number)
	return 0, true
}

// spans are disjoint ranges of bytes, in order.
type spans []span

type span struct{ from, to int }

// meets tells whether two ranges have bytes in common.
func (a span) meets(b span) bool { return a.from < b.to && b.from < a.to }

// add adds a range and returns how many of its bytes are new.
func (s *spans) add(from, to int) (fresh int) {
	list := *s
	i, _ := slices.BinarySearchFunc(list, from, func(a span, at int) int { return a.to - at })
	j, fresh := i, to-from
	for ; j < len(list) && list[j].from <= to; j++ {
		fresh -= max(0, min(to, list[j].to)-max(from, list[j].from))
	}
	whole := span{from, to}
	if j > i {
		whole = span{min(from, list[i].from), max(to, list[j-1].to)}
	}
	*s = slices.Replace(list, i, j, whole)
	return fresh
}
