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
// the first has delivered a part of one. Then the buffer is not free before the block that fills
// it has ended. open counts those blocks by device. See recvTransfer.

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
	open  [maxDevices]int // blocks that were begun there and not read, by device
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
	l.open[d.number]++
	return l.buf[at : at+length : at+length]
}

// of returns the landing of a place that a peer may send to.
func (s *landings) of(from suci.ID, place uint32) *landing {
	number := place >> offsetBits
	if int(number) >= len(s.list) || s.list[number].t == nil || s.list[number].from != from {
		return nil
	}
	return s.list[number]
}

// ended notes that a block was read which locate has given a buffer.
func (s *landings) ended(d *device, from suci.ID, place uint32) (l *landing, at int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l = s.of(from, place); l != nil {
		l.open[d.number]--
		at = int(place&(1<<offsetBits-1)) << l.shift
	}
	return l, at
}

// close ends a landing. It returns false, and a device, if a block is being received there.
func (s *landings) close(number uint32) (device int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.list[number].open[:], func(n int) bool { return n > 0 }); i >= 0 {
		return i, false
	}
	s.list[number].t, s.list[number].buf = nil, nil
	s.free = append(s.free, number)
	return 0, true
}

// spans are disjoint ranges of bytes, in order.
type spans []span

type span struct{ from, to int }

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
