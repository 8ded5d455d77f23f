package landing

import (
	"slices"
	"sync"

	"github.com/gopvas/gopvas/suci"
)

const (
	landingBits = 12 // of a place; the rest is the offset in units
	mostLanding = 1<<landingBits - 1
	offsetBits  = 32 - landingBits
	leastUnit   = 8 // as a power of two
)

// Place is where a piece of a landing begins, at an offset that is a multiple of its unit.
func Place(number uint32, offset, shift int) uint32 {
	return number<<offsetBits | uint32(offset>>shift)
}

// UnitOf returns the unit of offsets for so many bytes, as a power of two: pieces begin at its
// multiples.
func UnitOf(n int) (shift int) {
	for shift = leastUnit; n>>shift >= 1<<offsetBits; shift++ {
	}
	return shift
}

// landing is a buffer that pieces come to.
type landing[T any] struct {
	t     T
	used  bool
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

// Table is the landings of a rank, by number from 1 on: each is for a T. Endpoints ask for them in any goroutine.
type Table[T any] struct {
	mu   sync.Mutex
	list []*landing[T]
	free []uint32 // numbers, a ring: first is that which has been free for the longest
	head int
}

// Grant makes a landing; number 0 means that there are too many.
func (s *Table[T]) Grant(t T, from suci.ID, buf []byte) (number uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if number = s.number(); number == 0 {
		return 0
	}
	l := s.list[number]
	l.t, l.used, l.from, l.buf, l.shift = t, true, from, buf, UnitOf(len(buf))
	return number
}

// number returns a free number: of many, that which was used longest ago, so that late packets
// of its last use are gone.
func (s *Table[T]) number() (number uint32) {
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
			s.list = append(s.list, &landing[T]{})
		}
	}
	if s.head >= many && s.head >= len(s.free)/2 {
		s.free = s.free[:copy(s.free, s.free[s.head:])]
		s.head = 0
	}
	return number
}

// Locate is that of suci.Options, for a device.
func (s *Table[T]) Locate(device int, from suci.ID, place uint32, length int) []byte {
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
	f := filling{device: device, span: span{at, at + length}}
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
func (s *Table[T]) of(from suci.ID, place uint32) *landing[T] {
	number := place >> offsetBits
	if int(number) >= len(s.list) || !s.list[number].used || s.list[number].from != from {
		return nil
	}
	return s.list[number]
}

// Ended notes that a block has ended, and whether it is whole: then fresh of its bytes had not come
// before. It is not ok if Locate has given the block no buffer of a landing that is open. Blocks
// of a device end in the order in which they began.
func (s *Table[T]) Ended(device int, from suci.ID, place uint32, whole bool) (t T, fresh int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.of(from, place)
	if l == nil {
		return t, 0, false
	}
	at := int(place&(1<<offsetBits-1)) << l.shift
	i := slices.IndexFunc(l.open, func(f filling) bool { return f.device == device && f.from == at })
	if i < 0 {
		return t, 0, false // refused by Locate, and abandoned by its sender later
	}
	f := l.open[i]
	l.open = slices.Delete(l.open, i, i+1)
	if !whole {
		return l.t, 0, true
	}
	if f.own != nil {
		l.apart = append(l.apart, f)
	}
	return l.t, l.there.add(f.from, f.to), true
}

// Close ends a landing. It returns false, and a device, if a block is being received there.
func (s *Table[T]) Close(number uint32) (device int, ok bool) {
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
	*l = landing[T]{open: l.open, apart: l.apart[:0], there: l.there[:0]}
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
