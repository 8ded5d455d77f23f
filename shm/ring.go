package shm

import (
	"fmt"
	"sync/atomic"
)

const (
	cacheLine = 64

	// SlotSize is the number of bytes of a Slot: two cache lines, which the hardware
	// likes to fetch together.
	SlotSize = 2 * cacheLine

	// SlotBody is the number of bytes in a slot for the message. The first 56 of them
	// share a cache line with the word that publishes them.
	SlotBody = SlotSize - 8

	// MaxOwner is the highest number that a producer can have.
	MaxOwner = 1<<16 - 1

	// MaxSlots bounds a ring.
	MaxSlots = 1 << 20
)

// A ring is a queue of fixed slots with many producers, one consumer, in order. It
// lies in shared memory of the consumer; memory filled with zeros is an empty
// ring. Producers and consumer have handles of their own, Producer and Consumer,
// with what only they need to know.
//
// Positions count messages from 0, without end; position p lies in slot p mod n, in
// lap p/n. Each slot has one word, of which everything follows:
//
//	state of position p           word                          written by
//	free                          lap p/n,   anything           -
//	claimed                       lap p/n+1, owner, not full    the owner, by CAS
//	full                          lap p/n+1, owner, full, meta  the owner, by store
//	taken: free for position p+n  the same                      -
//
// The lap in the word is modulo 2^32 and only compared for equality. That the
// consumer writes nothing into a slot saves a cache-line transfer per message; who
// wants to claim must know that the consumer has passed, from tail:
//
//	tail   all positions below are taken. Written by the consumer, each n/4
//	       messages, and read by a producer when its last reading says full.
//	hint   all positions below are claimed. Written by producers, each 8th claim,
//	       without care: an older value may overwrite a younger one.
//
// A producer claims the lowest free position p at or above what it knows to be
// claimed. (C1) p < tail+n, so position p-n is taken and its slot at rest: the word
// says lap p/n, or p is claimed already and it goes on with p+1, or with the hint if
// that is further. (C2) CAS of the word to claimed: whoever succeeds owns the body.
// It only ever steps over claimed positions, so no position is left out, and its
// own go up: its messages are in order. A refused claim (C1) leaves no trace.
//
// Ordering. The body is written between the CAS (C2) and the store of full (P); the
// consumer reads it between its load of full and its store of a higher tail; the
// next owner writes it after a load of that tail. These are Go atomics, so each
// pair of accesses to a body is ordered, and the race detector sees that.
//
// Death. A producer killed between C2 and P leaves a slot that never becomes full,
// and those behind it are not reached. The word names the owner: once that owner is
// known to be gone, to execute nothing more, the consumer may step over (Skip).
// Killed before C2 or after P it leaves nothing unusual. A dead consumer leaves a
// ring that gets full and stays so.
//
// Cache-line transfers per message of up to 56 bytes, one producer at work: its CAS
// takes the line from the consumer (1, an invalidation: no data if still shared),
// the consumer's load brings it back (2). All else stays where it is, but for tail:
// 8 transfers per lap.
type ringHeader struct {
	hint atomic.Uint64 // written by producers
	_    [cacheLine - 8]byte

	tail atomic.Uint64 // written by the consumer
	_    [cacheLine - 8]byte

	// starved has a bit for each producer, modulo 64, that was refused and wants to
	// be told of room. Producers set bits, the consumer takes all.
	starved atomic.Uint64
	_       [cacheLine - 8]byte

	_ [cacheLine]byte // keeps slots at multiples of their size
}

// Slot is the place of one message. Its owner writes the body, the consumer reads it.
type Slot struct {
	word atomic.Uint64 // bit 0: full; 8 to 23: owner; 24 to 31: meta; 32 to 63: lap
	Body [SlotBody]byte
}

const (
	slotFull   = 1
	ownerShift = 8
	metaShift  = 24
	lapShift   = 32
)

// RingSize returns the bytes of a ring of so many slots.
func RingSize(slots int) int { return ringHeaderSize + slots*SlotSize }

// ring is what both sides know.
type ring struct {
	head  *ringHeader
	slots []Slot
	mask  uint64
	shift uint
}

func checkSlots(mem []byte, slots int) error {
	if slots < 4 || slots > MaxSlots || slots&(slots-1) != 0 {
		return fmt.Errorf("shm: open ring: %d slots are no power of two from 4 to %d", slots, MaxSlots)
	}
	if len(mem) < RingSize(slots) {
		return fmt.Errorf("shm: open ring: %d bytes are too few for %d slots", len(mem), slots)
	}
	return nil
}

// Producer is one producer's end of a ring. It is not for several goroutines at a
// time. There must not be two producers with the same owner number.
type Producer struct {
	ring
	owner uint64 // in place for the word
	next  uint64 // all positions below are claimed
	limit uint64 // the last tail that was read, plus the number of slots
}

// NewProducer returns a producer's end of the ring in mem, which starts at a
// multiple of 64 and stays mapped.
func NewProducer(mem []byte, slots, owner int) (*Producer, error) {
	if owner < 0 || owner > MaxOwner {
		return nil, fmt.Errorf("shm: open ring: producer %d is outside 0..%d", owner, MaxOwner)
	}
	r, err := viewRing(mem, slots)
	if err != nil {
		return nil, err
	}
	return &Producer{ring: r, owner: uint64(owner) << ownerShift}, nil
}

// Claim returns a slot that is the caller's until Publish, or nil if the ring is
// full. Every claimed slot must be published soon: those behind it wait.
func (p *Producer) Claim() *Slot {
	for {
		pos := p.next
		if int64(pos-p.limit) >= 0 {
			tail := p.head.tail.Load()
			p.limit = tail + uint64(len(p.slots))
			if int64(pos-p.limit) >= 0 {
				return nil
			}
			// Idle for more than a lap: go on where the others are.
			if int64(pos-tail) < 0 {
				p.next, pos = tail, tail
			}
		}
		s := &p.slots[pos&p.mask]
		word := s.word.Load()
		lap := uint32(pos >> p.shift)
		if uint32(word>>lapShift) == lap &&
			s.word.CompareAndSwap(word, uint64(lap+1)<<lapShift|p.owner) {
			p.next = pos + 1
			if pos&7 == 7 {
				p.head.hint.Store(pos + 1)
			}
			return s
		}
		p.next = pos + 1
		if hint := p.head.hint.Load(); int64(hint-p.next) > 0 {
			p.next = hint
		}
	}
}

// Publish hands a claimed slot over to the consumer, with eight bits for the
// reader. It is a full barrier, as Event.Notify wants it.
func (p *Producer) Publish(s *Slot, meta uint8) {
	s.word.Store(s.word.Load() | uint64(meta)<<metaShift | slotFull)
}

// Starve asks the consumer for a word when there is room, and returns true if there
// is some already. To be called when Claim has returned nil.
//
// The bit is set before tail is read again, and the consumer stores tail before it
// reads the bits: one of the two finds the other's.
func (p *Producer) Starve() bool {
	p.head.starved.Or(1 << (p.owner >> ownerShift % 64))
	p.limit = p.head.tail.Load() + uint64(len(p.slots))
	return int64(p.next-p.limit) < 0
}

// Consumer is the consumer's end of a ring. It is not for several goroutines at a
// time.
type Consumer struct {
	ring
	next uint64 // position of the front
	tail uint64 // as last stored
}

// NewConsumer returns the consumer's end of the ring in mem, which starts at a
// multiple of 64 and stays mapped.
func NewConsumer(mem []byte, slots int) (*Consumer, error) {
	r, err := viewRing(mem, slots)
	if err != nil {
		return nil, err
	}
	return &Consumer{ring: r}, nil
}

// Front returns the oldest message and its meta bits, or nil if there is none. It
// stays the oldest until Pop.
func (c *Consumer) Front() (*Slot, uint8) {
	s := &c.slots[c.next&c.mask]
	word := s.word.Load()
	if uint32(word>>lapShift) != uint32(c.next>>c.shift)+1 || word&slotFull == 0 {
		return nil, 0
	}
	return s, uint8(word >> metaShift)
}

// Pop gives the front slot back. It returns true when producers can see that there
// is new room; the caller then looks at Starved.
func (c *Consumer) Pop() bool {
	c.next++
	if c.next-c.tail < uint64(len(c.slots))/4 {
		return false
	}
	c.tail = c.next
	c.head.tail.Store(c.tail)
	return true
}

// Starved takes the bits of producers that wait for room: bit i stands for all
// whose owner number is i modulo 64.
func (c *Consumer) Starved() uint64 {
	if c.head.starved.Load() == 0 {
		return 0
	}
	return c.head.starved.Swap(0)
}

// Claimant returns the owner of the front slot if it is claimed and not published.
func (c *Consumer) Claimant() (owner int, ok bool) {
	word := c.slots[c.next&c.mask].word.Load()
	if uint32(word>>lapShift) != uint32(c.next>>c.shift)+1 || word&slotFull != 0 {
		return 0, false
	}
	return int(word >> ownerShift & MaxOwner), true
}

// Skip steps over the front slot as Pop does. Only for one whose Claimant has gone.
func (c *Consumer) Skip() bool { return c.Pop() }
