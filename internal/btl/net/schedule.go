package net

import (
	"cmp"
	"slices"
	"time"

	"github.com/gopvas/gopvas/exchange"
	"github.com/gopvas/gopvas/suci"
)

// The schedule: which device sends which bytes when. When a receiver has granted a message, or
// a part of one, a plan (package exchange) cuts its bytes into pieces. The plan is that of the
// set that the message belongs to (Together), or one for the message alone. The latter takes
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
	t        *sendTransfer
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

// schedule hands the bytes of a grant to the devices.
func (m *Module) schedule(t *sendTransfer, n int) {
	if !m.several() {
		m.enqueue(m.devices[0], m.newPiece(t, 0, n, 0))
		m.pump()
		return
	}
	if t.set != nil {
		t.set.waiting--
	}
	if t.set != nil && t.src.Layout == nil && n == t.set.sizes[t.member] {
		for number, queue := range t.set.plan.Queues {
			for order, c := range queue {
				if c.Message == t.member {
					m.assign(m.devices[number], m.newPiece(t, c.From, c.To, order))
				}
			}
		}
	} else {
		m.measure(t.peer)
		m.use(func(d *device) bool { return t.peer.paths[d.number].state == up })
		plan := m.plan([]int{n}, 1<<unitOf(n))
		for number, queue := range plan.Queues {
			for _, c := range queue {
				m.assign(m.devices[number], m.newPiece(t, c.From, c.To, aloneOrder))
			}
		}
	}
	m.pump()
}

// aloneOrder puts pieces of messages that are not of a set behind those that are.
const aloneOrder = 1 << 30

// plan makes a plan for the devices that use has chosen.
func (m *Module) plan(sizes []int, unit int) *exchange.Plan {
	m.planner.Unit = unit
	plan := m.planner.Make(m.form, sizes, m.estimates)
	if len(m.usable) < len(m.devices) {
		m.spreadPlan(plan)
	}
	return plan
}

// use chooses the devices for a plan, and estimates them.
func (m *Module) use(reaches func(d *device) bool) {
	m.estimates, m.usable = m.estimates[:0], m.usable[:0]
	for _, d := range m.devices {
		if reaches(d) {
			m.usable = append(m.usable, d)
		}
	}
	if len(m.usable) == 0 {
		m.usable = append(m.usable, m.devices...)
	}
	for _, d := range m.usable {
		m.estimates = append(m.estimates, d.estimate())
	}
}

// spreadPlan turns a plan for the usable devices into one for all.
func (m *Module) spreadPlan(plan *exchange.Plan) {
	queues := make([][]exchange.Piece, len(m.devices))
	for i, d := range m.usable {
		queues[d.number] = plan.Queues[i]
	}
	plan.Queues = queues
}

func (m *Module) newPiece(t *sendTransfer, from, to, order int) *piece {
	var c *piece
	if k := len(m.sparePieces); k > 0 {
		c = m.sparePieces[k-1]
		m.sparePieces = m.sparePieces[:k-1]
	} else {
		c = &piece{}
		c.done = c.ended
	}
	c.t, c.from, c.to, c.order = t, from, to, order
	t.pieces++
	return c
}

func (m *Module) freePiece(c *piece) {
	c.t.pieces--
	c.t, c.device = nil, nil
	m.sparePieces = append(m.sparePieces, c)
}

// assign gives a piece to a device, or to another one if the path of that is not up.
func (m *Module) assign(d *device, c *piece) {
	if c.t.peer.paths[d.number].state != up {
		d = m.pathFor(c.t.peer, c.len(), true)
	}
	m.enqueue(d, c)
}

func (m *Module) enqueue(d *device, c *piece) {
	c.device = d
	m.startable = true
	i, _ := slices.BinarySearchFunc(d.queue, c.order+1,
		func(q *piece, order int) int { return cmp.Compare(q.order, order) })
	d.queue = slices.Insert(d.queue, i, c)
	d.waiting += c.len()
	d.owe(c.t.peer, c.len())
	m.queued += c.len()
}

// pump notices the pieces that have landed, and starts others. A device that has refused a piece
// has others under way. So it can take one only when some have landed, and otherwise when a path
// has changed or there are new pieces. Until then nobody looks.
func (m *Module) pump() {
	if m.landings.pieces.Load() != m.seen {
		m.seen, m.startable = m.landings.pieces.Load(), true
		for _, d := range m.devices {
			m.collect(d)
		}
	}
	if m.queued == 0 || !m.startable {
		return
	}
	m.startable = false
	for _, d := range m.devices {
		for m.startNext(d) {
		}
	}
}

// startNext starts the next piece of a device, or a part of it. It returns false if the device
// has enough.
func (m *Module) startNext(d *device) bool {
	e := d.estimate()
	ahead := int(e.Bandwidth * aheadTime.Seconds())
	enough := m.several() && len(d.flying) > 1 && d.underWay() >= ahead
	if len(d.queue) == 0 && (enough || m.form != exchange.Auto || !m.steal(d, &e)) {
		return false
	}
	i := d.next(enough)
	if i < 0 {
		return false
	}
	c := d.queue[i]
	if c.t.peer.paths[d.number].state != up && c.t.peer.usable() {
		d.queue = slices.Delete(d.queue, i, i+1)
		d.waiting -= c.len()
		d.owe(c.t.peer, -c.len())
		m.queued -= c.len()
		m.assign(d, c)
		return true
	}
	n := c.len()
	if m.several() {
		n = min(n, max(d.chunk(e.Bandwidth)>>c.t.shift, 1)<<c.t.shift)
	}
	d.waiting -= n
	m.queued -= n
	if n < c.len() {
		rest := c
		c = m.newPiece(rest.t, rest.from, rest.from+n, rest.order)
		c.device = d
		rest.from += n
	} else {
		d.queue = slices.Delete(d.queue, i, i+1)
	}
	m.start(d, c)
	return true
}

// chunk is how long a piece may be, at a bandwidth of the device. What is under way cannot be taken by another
// device any more: on slow devices long pieces would be late at the end, while others are idle.
func (d *device) chunk(bandwidth float64) int {
	n := int(bandwidth*chunkTime.Seconds()) / min(d.peers, mostSharing)
	return min(max(n, leastChunk), mostChunk)
}

// start sends a piece.
func (m *Module) start(d *device, c *piece) {
	d.fly(c)
	if m.several() {
		c.started = time.Now()
		d.pace()
	}
	place := c.t.grant.place<<offsetBits | uint32(c.from>>c.t.shift)
	m.hand(c.t.peer, &c.outgoing, d, suci.Block{Data: c.t.data[c.from:c.to], Priority: bytesLane, Place: place})
}

// ended is called when a piece was acknowledged, or never will be.
func (c *piece) ended(err error) {
	m := c.t.m
	if err != nil {
		lost := err
		c.t.failed.CompareAndSwap(nil, &lost)
	}
	c.land(c.len(), err)
	m.landings.pieces.Add(1)
}

// collect takes the pieces of a device that have landed. Those that have crashed are sent by
// another device, if there is one.
func (m *Module) collect(d *device) {
	left := d.flying[:0]
	for _, c := range d.flying {
		t := c.t
		switch c.landed.Load() {
		case arrived:
			d.leave(c)
			t.arrived += c.len()
			if m.several() {
				d.record(Flight{d.number, t.peer.rank, t.message(), c.len(), c.started, time.Now()})
			}
			m.freePiece(c)
			continue
		case crashed:
			if m.again(t.peer, d, c.err) {
				d.leave(c)
				m.assign(d, c)
				continue
			}
		}
		left = append(left, c)
	}
	some := len(left) < len(d.flying)
	clear(d.flying[len(left):])
	d.flying = left
	if some && m.several() {
		d.pace()
	}
}

// steal takes the end of what another device has to start yet, if this one is done with it
// sooner.
func (m *Module) steal(d *device, e *exchange.Device) bool {
	var victim *device
	longest := e.Busy + float64(stealTime)
	speed := 0.0
	for _, o := range m.devices {
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
	if c.t.peer.paths[d.number].state != up {
		return false
	}
	if s := c.t.set; s != nil && s.waiting > 0 {
		return false // the plan may have pieces for this device that are not granted yet
	}
	share := int((longest - e.Busy) / 1e9 / (1/e.Bandwidth + 1/speed))
	n := min(c.len(), max(share, stealLeast))
	if c.len()-n < stealLeast {
		n = c.len()
	}
	cut := c.from
	if n < c.len() {
		cut = (c.to - n) >> c.t.shift << c.t.shift
		n = c.to - cut
	}
	victim.waiting -= n
	victim.owe(c.t.peer, -n)
	m.queued -= n
	taken := c
	if cut > c.from {
		taken = m.newPiece(c.t, cut, c.to, c.order)
		c.to = cut
	} else {
		victim.queue = slices.Delete(victim.queue, i, i+1)
	}
	m.enqueue(d, taken)
	return true
}

// message is the message's number in its set, -1 if it has none.
func (t *sendTransfer) message() int {
	if t.set == nil {
		return -1
	}
	return t.member
}

// withdraw takes back what a transfer has not started.
func (m *Module) withdraw(t *sendTransfer) {
	m.startable = true
	for _, d := range m.devices {
		d.queue = slices.DeleteFunc(d.queue, func(c *piece) bool {
			if c.t != t {
				return false
			}
			d.waiting -= c.len()
			d.owe(t.peer, -c.len())
			m.queued -= c.len()
			m.freePiece(c)
			return true
		})
		d.flying = slices.DeleteFunc(d.flying, func(c *piece) bool {
			if c.t != t || c.landed.Load() == inAir {
				return false
			}
			d.leave(c)
			m.freePiece(c)
			return true
		})
	}
}
