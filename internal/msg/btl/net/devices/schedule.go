package devices

import (
	"cmp"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gopvas/gopvas/exchange"
	"github.com/gopvas/gopvas/internal/msg/btl/net/landing"
	"github.com/gopvas/gopvas/suci"
)

// The schedule: which device sends which bytes when. When a receiver has granted a message, or
// a part of one, a plan (package exchange) cuts its bytes into pieces. The plan is that of the
// group that the message belongs to (Together), or one for the message alone. The latter takes
// into account what the devices have to send already. Each device starts its pieces in the order of
// the plan, a few at a time. A device that has none left takes the end of what another one has
// not started: so an estimate that was wrong costs little, and a device that becomes slow gets
// less at once.

// piece is a part of what a receiver has granted.
//
// It waits in device.queue. When it is started it goes to device.flying, and is noticed there when it
// has landed.
type piece struct {
	outgoing
	of       *Cargo
	from, to int // of the grant
	order    int // in the plan
	started  time.Time
}

func (c *piece) len() int { return c.to - c.from }

const (
	// aheadTime is how much a device gets ahead, so that it does not depend on the rank for
	// that long; chunkTime is how long a piece is under way alone at most.
	aheadTime = 150 * time.Millisecond
	chunkTime = 40 * time.Millisecond

	leastChunk = 16 << 10 // shorter ones cost more than they are worth
	mostChunk  = 8 << 20

	// A device takes pieces of another one if that one is longer busy by so much: more than a piece
	// takes, since pieces count as under way until all of their bytes have landed.
	stealTime  = 60 * time.Millisecond
	stealLeast = 32 << 10
)

// Cargo is bytes of a message that a receiver has granted, on their way to it. The engine's lock guards all fields but
// failed. The goroutine that drives an endpoint sets that when a piece is lost.
type Cargo struct {
	Peer    *Peer
	group   *group // that the message belongs to, or nil
	member  int    // in the group
	granted bool   // the group does not wait for it any more
	data    []byte
	landing uint32
	shift   int // the unit of offsets in the landing
	arrived int // bytes that were acknowledged
	pieces  int // that exist
	failed  atomic.Pointer[error]
}

// Failed is why a piece was lost; nil: none was.
func (c *Cargo) Failed() error {
	if err := c.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Arrived tells whether all bytes were acknowledged, and nothing of them is left.
func (c *Cargo) Arrived() bool { return c.arrived == len(c.data) && c.pieces == 0 }

// Clear is for the end of a message. None of its pieces is left, or Withdraw was called.
func (c *Cargo) Clear() {
	c.grant()
	c.granted = false
	c.Peer, c.group, c.data, c.arrived = nil, nil, nil, 0
	c.failed.Store(nil)
}

// grant notes that the message was granted, or never will be.
func (c *Cargo) grant() {
	if c.group != nil && !c.granted {
		c.granted = true
		c.group.waiting--
	}
}

// Ship sends bytes to a landing. whole says that they are all that the sender's buffer has, in one piece.
func (s *Set) Ship(c *Cargo, data []byte, number uint32, whole bool) {
	c.grant()
	c.data, c.landing, c.arrived = data, number, 0
	if number == 0 || len(data) == 0 {
		c.arrived = len(data) // no bytes are wanted
		return
	}
	n := len(data)
	c.shift = landing.UnitOf(n)
	if !s.Several() {
		s.enqueue(s.list[0], s.newPiece(c, 0, n, 0))
		s.pump()
		return
	}
	g := c.group
	if g != nil && whole && n == g.sizes[c.member] {
		for number, queue := range g.plan.Queues {
			for order, o := range queue {
				if o.Message == c.member {
					s.assign(s.list[number], s.newPiece(c, o.From, o.To, order))
				}
			}
		}
	} else {
		s.plans.measure(c.Peer)
		s.plans.use(func(d *device) bool { return c.Peer.paths[d.number].state == Up })
		plan := s.plans.plan([]int{n}, 1<<c.shift)
		for number, queue := range plan.Queues {
			for _, o := range queue {
				s.assign(s.list[number], s.newPiece(c, o.From, o.To, aloneOrder))
			}
		}
	}
	s.pump()
}

// aloneOrder puts pieces of messages that are not of a group behind those that are.
const aloneOrder = 1 << 30

func (s *Set) newPiece(of *Cargo, from, to, order int) *piece {
	var c *piece
	if k := len(s.sparePieces); k > 0 {
		c = s.sparePieces[k-1]
		s.sparePieces = s.sparePieces[:k-1]
	} else {
		c = &piece{outgoing: outgoing{set: s}}
		c.done = c.ended
	}
	c.of, c.from, c.to, c.order = of, from, to, order
	of.pieces++
	return c
}

func (s *Set) freePiece(c *piece) {
	c.of.pieces--
	c.of, c.device = nil, nil
	s.sparePieces = append(s.sparePieces, c)
}

// assign gives a piece to a device, or to another one if the path of that is not up.
func (s *Set) assign(d *device, c *piece) {
	if c.of.Peer.paths[d.number].state != Up {
		d = s.pathFor(c.of.Peer, c.len(), true)
	}
	s.enqueue(d, c)
}

func (s *Set) enqueue(d *device, c *piece) {
	c.device = d
	s.startable = true
	i, _ := slices.BinarySearchFunc(d.queue, c.order+1,
		func(q *piece, order int) int { return cmp.Compare(q.order, order) })
	d.queue = slices.Insert(d.queue, i, c)
	d.waiting += c.len()
	d.owe(c.of.Peer, c.len())
	s.queued += c.len()
}

// pump notices the pieces that have landed, and starts others. A device that has refused a piece
// has others under way. So it can take one only when some have landed, and otherwise when a path
// has changed or there are new pieces. Until then nobody looks.
func (s *Set) pump() {
	if s.ended.Load() != s.seen {
		s.seen, s.startable = s.ended.Load(), true
		for _, d := range s.list {
			s.collect(d)
		}
	}
	if s.queued == 0 || !s.startable {
		return
	}
	s.startable = false
	for _, d := range s.list {
		for s.startNext(d) {
		}
	}
}

// startNext starts the next piece of a device, or a part of it. It returns false if the device
// has enough.
func (s *Set) startNext(d *device) bool {
	e := d.estimate()
	ahead := int(e.Bandwidth * aheadTime.Seconds())
	enough := s.Several() && len(d.flying) > 1 && d.underWay() >= ahead
	if len(d.queue) == 0 && (enough || s.plans.form != exchange.Auto || !s.steal(d, &e)) {
		return false
	}
	i := d.next(enough)
	if i < 0 {
		return false
	}
	c := d.queue[i]
	if c.of.Peer.paths[d.number].state != Up && c.of.Peer.usable() {
		d.queue = slices.Delete(d.queue, i, i+1)
		d.waiting -= c.len()
		d.owe(c.of.Peer, -c.len())
		s.queued -= c.len()
		s.assign(d, c)
		return true
	}
	n := c.len()
	if s.Several() {
		n = min(n, max(d.chunk(e.Bandwidth)>>c.of.shift, 1)<<c.of.shift)
	}
	d.waiting -= n
	s.queued -= n
	if n < c.len() {
		rest := c
		c = s.newPiece(rest.of, rest.from, rest.from+n, rest.order)
		c.device = d
		rest.from += n
	} else {
		d.queue = slices.Delete(d.queue, i, i+1)
	}
	s.start(d, c)
	return true
}

// chunk is how long a piece may be, at a bandwidth of the device. What is under way cannot be taken by another
// device any more: on slow devices long pieces would be late at the end, while others are idle.
func (d *device) chunk(bandwidth float64) int {
	n := int(bandwidth*chunkTime.Seconds()) / min(d.peers, mostSharing)
	return min(max(n, leastChunk), mostChunk)
}

// start sends a piece.
func (s *Set) start(d *device, c *piece) {
	d.fly(c)
	if s.Several() {
		c.started = time.Now()
		d.pace()
	}
	place := landing.Place(c.of.landing, c.from, c.of.shift)
	s.hand(c.of.Peer, &c.outgoing, d, suci.Block{Data: c.of.data[c.from:c.to], Priority: bytesLane, Place: place})
}

// ended is called when a piece was acknowledged, or never will be.
func (c *piece) ended(err error) {
	s := c.set
	if err != nil {
		lost := err
		c.of.failed.CompareAndSwap(nil, &lost)
	}
	c.land(c.len(), err)
	s.ended.Add(1)
}

// collect takes the pieces of a device that have landed. Those that have crashed are sent by
// another device, if there is one.
func (s *Set) collect(d *device) {
	left := d.flying[:0]
	for _, c := range d.flying {
		of := c.of
		switch c.landed.Load() {
		case arrived:
			d.leave(c)
			of.arrived += c.len()
			if s.Several() {
				d.record(Flight{d.number, of.Peer.rank, of.message(), c.len(), c.started, time.Now()})
			}
			s.freePiece(c)
			continue
		case crashed:
			if s.again(of.Peer, d, c.err) {
				d.leave(c)
				s.assign(d, c)
				continue
			}
		}
		left = append(left, c)
	}
	some := len(left) < len(d.flying)
	clear(d.flying[len(left):])
	d.flying = left
	if some && s.Several() {
		d.pace()
	}
}

// steal takes the end of what another device has to start yet, if this one is done with it
// sooner.
func (s *Set) steal(d *device, e *exchange.Device) bool {
	var victim *device
	longest := e.Busy + float64(stealTime)
	speed := 0.0
	for _, o := range s.list {
		if o == d || o.waiting < stealLeast {
			continue
		}
		if oe := o.estimate(); oe.Busy > longest {
			victim, longest, speed = o, oe.Busy, oe.Bandwidth
		}
	}
	if victim == nil {
		return false
	}
	i := len(victim.queue) - 1
	c := victim.queue[i]
	if c.of.Peer.paths[d.number].state != Up {
		return false
	}
	if g := c.of.group; g != nil && g.waiting > 0 {
		return false // the plan may have pieces for this device that are not granted yet
	}
	share := int((longest - e.Busy) / 1e9 / (1/e.Bandwidth + 1/speed))
	n := min(c.len(), max(share, stealLeast))
	if c.len()-n < stealLeast {
		n = c.len()
	}
	cut := c.from
	if n < c.len() {
		cut = (c.to - n) >> c.of.shift << c.of.shift
		n = c.to - cut
	}
	victim.waiting -= n
	victim.owe(c.of.Peer, -n)
	s.queued -= n
	taken := c
	if cut > c.from {
		taken = s.newPiece(c.of, cut, c.to, c.order)
		c.to = cut
	} else {
		victim.queue = slices.Delete(victim.queue, i, i+1)
	}
	s.enqueue(d, taken)
	return true
}

// message is the message's number in its group, -1 if it has none.
func (c *Cargo) message() int {
	if c.group == nil {
		return -1
	}
	return c.member
}

// Withdraw takes back what was not started.
func (s *Set) Withdraw(of *Cargo) {
	s.startable = true
	for _, d := range s.list {
		d.queue = slices.DeleteFunc(d.queue, func(c *piece) bool {
			if c.of != of {
				return false
			}
			d.waiting -= c.len()
			d.owe(of.Peer, -c.len())
			s.queued -= c.len()
			s.freePiece(c)
			return true
		})
		d.flying = slices.DeleteFunc(d.flying, func(c *piece) bool {
			if c.of != of || c.landed.Load() == inAir {
				return false
			}
			d.leave(c)
			s.freePiece(c)
			return true
		})
	}
}
