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

	// maxOwner is the highest number that a producer can have.
	maxOwner = 1<<16 - 1

	// MaxSlots bounds a ring.
	MaxSlots = 1 << 20
)

// A ring is a queue of fixed slots with many producers, one consumer, in order. It
// lies in shared memory of the consumer; memory filled with zeros is an empty
// ring. Producers and consumer have handles of their own, Producer and Consumer,
// with their private state.
//
// Positions count messages from 0, without end; position p lies in slot p mod n, in
// lap p/n. Three words say how far things are:
//
//	head   the lowest position that is not claimed, modulo 2^48, and the producer
//	       that claimed the one before it. Written by producers, by CAS.
//	word   of the slot of position p: lap p/n+1 once p is published. Written by p's
//	       owner, once per lap. The lap is modulo 2^32 and compared for equality.
//	tail   all positions below are taken. Written by the consumer, each n/4
//	       messages, and read by a producer when its last reading says full.
//
// A producer claims position p = head if (C1) p < tail+n, so that position p-n is
// taken and the slot at rest. (C2) CAS of head from p to p+1 and its own number:
// a producer that succeeds owns the body until it publishes. A refused claim (C1) leaves no
// trace, and positions of one producer go up, so its messages are in order.
//
// That neither the claim nor the consumer writes into the slot saves cache-line
// transfers: the consumer polls that line, and would take it away from a producer
// between claiming and publishing.
//
// Ordering. The body is written between the CAS (C2) and the store of the word (P);
// the consumer reads it between its load of the word and its store of a higher
// tail; the next owner writes it after a load of that tail. These are Go atomics,
// so each pair of accesses to a body is ordered, and the race detector sees that.
//
// Death. A producer killed between C2 and P leaves a slot that never becomes full,
// and those behind it are not reached. Once its owner is known to be gone, to
// execute nothing more, the consumer may step over it (Skip). The owner is
// always known: head names that of the last claimed position, and whoever claims the
// next one first writes it down in owners (C0), with the position's lap; it need not
// if the owner is itself and has published. Several producers that claim after the same
// owner write the same. One that was held up may come with an old lap: a younger
// entry stays. So if position p is not published, and head is p+1, head names its
// owner; if head is further, owners does. Killed before C2 or after P a producer
// leaves nothing unusual. A dead consumer leaves a ring that gets full and stays so.
//
// Cache-line transfers per message of up to 56 bytes, one producer at work: its
// stores to the slot take the line from the consumer (1, an invalidation: no data if
// still shared), the consumer's load brings it back (2). All else stays where it is,
// but for tail: 8 transfers per lap. With several producers head moves between them,
// and a word of owners.
type ringHeader struct {
	head atomic.Uint64 // written by producers; position, and owner in the low bits
	_    [cacheLine - 8]byte

	tail atomic.Uint64 // written by the consumer
	_    [cacheLine - 8]byte

	// starved has a bit for each producer, modulo 64, that was refused and wants to
	// be told of free positions. Producers set bits, the consumer takes all.
	starved atomic.Uint64
	_       [cacheLine - 8]byte

	_ [cacheLine]byte // keeps slots at multiples of their size
}

// Slot is the place of one message. Its owner writes the body, the consumer reads it.
type Slot struct {
	word atomic.Uint64 // bits 0 to 7: meta; 32 to 63: lap
	Body [SlotBody]byte
}

const (
	lapShift  = 32
	ownerBits = 16
	ownerMask = 1<<ownerBits - 1
)

// RingSize returns the bytes of a ring of so many slots.
func RingSize(slots int) int { return ringHeaderSize + slots*(SlotSize+8) }

// ring is the state that both sides know.
type ring struct {
	head   *ringHeader
	slots  []Slot
	owners []atomic.Uint64 // of claimed positions, by slot; see (C0) and entry
	mask   uint64
	shift  uint
}

// lap is the value of a position's word once it is published. By the mask the compiler knows that the shift is less
// than 64.
func (r *ring) lap(pos uint64) uint32 { return uint32(pos>>(r.shift&63)) + 1 }

// entry is the word of owners for a position: the lap, in more bits than the word has,
// so that it does not come round again, and the owner.
func (r *ring) entry(pos, owner uint64) uint64 { return (pos>>r.shift+1)<<ownerBits | owner }

// position completes the position in head, given one that is less than 2^48 below.
func position(head, base uint64) uint64 {
	return base + (head>>ownerBits-base)&(1<<(64-ownerBits)-1)
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
	owner       uint64
	tail        uint64 // as last read
	unpublished int    // slots claimed and not published
	claimed     uint64 // what head was after the last claim
	next        uint64 // the position then; 0: nothing was claimed yet
}

// NewProducer returns a producer's end of the ring in mem, which starts at a
// multiple of 64 and stays mapped.
func NewProducer(mem []byte, slots, owner int) (*Producer, error) {
	if owner < 0 || owner > maxOwner {
		return nil, fmt.Errorf("shm: open ring: producer %d is outside 0..%d", owner, maxOwner)
	}
	r, err := viewRing(mem, slots)
	if err != nil {
		return nil, err
	}
	return &Producer{ring: r, owner: uint64(owner), tail: r.head.tail.Load()}, nil
}

// ahead is how far from the slot that it claims a producer prefetches another one, if it has also
// claimed the one before: then it may be sending many messages. Publish waits until the
// CPU owns the cache line of the slot, which takes longer than all else of a short message. The
// slot next to the one that is claimed would be of no use: the consumer polls it soon.
const ahead = 3

// Claim returns a slot that is the caller's until Publish, with the position to
// give to that, or nil if the ring is full. Every claimed slot must be published
// soon: later positions wait.
func (p *Producer) Claim() (s *Slot, pos uint64) {
	head := p.head.head.Load()
	pos = p.next
	if head != p.claimed || pos == 0 || p.unpublished != 0 || pos-p.tail >= uint64(len(p.slots)) {
		return p.claim()
	}
	// Nobody has claimed since this producer did, which then has published.
	next := head + 1<<ownerBits
	if !p.head.head.CompareAndSwap(head, next) {
		return p.claim()
	}
	p.claimed, p.next, p.unpublished = next, pos+1, 1
	PrefetchWrite(&p.slots[(pos+ahead)&p.mask].word)
	return &p.slots[pos&p.mask], pos
}

// claim is Claim in any case.
func (p *Producer) claim() (s *Slot, pos uint64) {
	for {
		head := p.head.head.Load()
		pos := position(head, p.tail)
		if pos-p.tail >= uint64(len(p.slots)) {
			if tail := p.head.tail.Load(); tail != p.tail {
				p.tail = tail
				continue
			}
			return nil, 0
		}
		last := head & ownerMask
		if pos > 0 && (last != p.owner || p.unpublished > 0) {
			p.record(pos-1, last)
		}
		next := (pos+1)<<ownerBits | p.owner
		if p.head.head.CompareAndSwap(head, next) {
			p.unpublished++
			p.claimed, p.next = next, pos+1
			if last == p.owner {
				PrefetchWrite(&p.slots[(pos+ahead)&p.mask].word)
			}
			return &p.slots[pos&p.mask], pos
		}
	}
}

// record writes down the owner of a claimed position, unless that is done, or the slot
// has come to a later one.
func (p *Producer) record(pos, owner uint64) {
	place, entry := &p.owners[pos&p.mask], p.entry(pos, owner)
	for {
		old := place.Load()
		if old>>ownerBits >= entry>>ownerBits || place.CompareAndSwap(old, entry) {
			return
		}
	}
}

// Publish hands a claimed slot over to the consumer, with eight bits for the
// reader. It is a full barrier, as Event.Notify wants it.
func (p *Producer) Publish(s *Slot, pos uint64, meta uint8) {
	p.unpublished--
	s.word.Store(uint64(p.lap(pos))<<lapShift | uint64(meta))
}

// Starve asks the consumer to tell of a free position, and returns true if there
// is some already. To be called when Claim has returned nil.
//
// The bit is set before tail is read again, and the consumer stores tail before it
// reads the bits: one of the two finds the other's.
func (p *Producer) Starve() bool {
	p.head.starved.Or(1 << (p.owner % 64))
	p.tail = p.head.tail.Load()
	return position(p.head.head.Load(), p.tail)-p.tail < uint64(len(p.slots))
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
	if uint32(word>>lapShift) != c.lap(c.next) {
		return nil, 0
	}
	return s, uint8(word)
}

// Pop gives the front slot back. It returns true when producers can see that there
// is a new free position; the caller then looks at Starved.
func (c *Consumer) Pop() bool {
	c.next++
	if c.next-c.tail < uint64(len(c.slots))/4 {
		return false
	}
	c.tail = c.next
	c.head.tail.Store(c.tail)
	return true
}

// Starved takes the bits of producers that wait for a position: bit i stands for all
// whose owner number is i modulo 64.
func (c *Consumer) Starved() uint64 {
	if c.head.starved.Load() == 0 {
		return 0
	}
	return c.head.starved.Swap(0)
}

// Empty tells whether no position is claimed but those that were taken.
func (c *Consumer) Empty() bool { return position(c.head.head.Load(), c.next) == c.next }

// Each calls f with each published message, the oldest first, and takes none away. It calls f also with those
// behind a position that is claimed and not published. Of a producer that had gone before the call these are
// all of its messages: it published them before it went, and only the consumer takes messages away.
func (c *Consumer) Each(f func(*Slot)) {
	end := position(c.head.head.Load(), c.next)
	for pos := c.next; pos != end; pos++ {
		if s := &c.slots[pos&c.mask]; uint32(s.word.Load()>>lapShift) == c.lap(pos) {
			f(s)
		}
	}
}

// Claimant returns the owner of the front slot if it is claimed and not published.
func (c *Consumer) Claimant() (owner int, ok bool) {
	head := c.head.head.Load()
	claimed := position(head, c.next) - c.next
	if claimed == 0 || uint32(c.slots[c.next&c.mask].word.Load()>>lapShift) == c.lap(c.next) {
		return 0, false
	}
	if claimed == 1 {
		return int(head & ownerMask), true
	}
	// The next position is claimed, so C0 for this one is done.
	entry := c.owners[c.next&c.mask].Load()
	return int(entry & ownerMask), entry>>ownerBits == c.entry(c.next, 0)>>ownerBits
}

// Skip steps over the front slot as Pop does. Only for one whose Claimant has gone.
func (c *Consumer) Skip() bool { return c.Pop() }
