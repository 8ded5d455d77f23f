package devices

import "slices"

// Shares. A device sends to several peers at a time, to each at a rate in proportion to what is left
// for that peer.
//
// Then no port is idle that would be the last one to be done. Let T be the time that the busiest port
// of all needs, that of a sender or of a receiver. At so many bytes in T for each sender and
// receiver, no port has more to do than it can, and all are done at T. Nobody need agree on an order.
// If devices sent to one peer after the other, two could meet at the port of one receiver, while that
// of another one is idle. Which ones do would depend on who is granted first.

const (
	// eachFlying is how many pieces a peer has under way: one lands while the other one is sent.
	eachFlying = 2
	// mostSharing bounds the peers that a device sends to at a time, if it has enough to do.
	mostSharing = 8

	// headroom is how much faster than it has been a device may send. Its packets do not wait in
	// queues, behind which grants would wait, and it still can turn out to be faster.
	headroom = 1.2
	// leastShare is of an equal share: a peer that is left little does not wait for long.
	leastShare = 0.25
)

// owe notes that n more bytes wait for the device or are under way on it to a peer; n may be negative.
func (d *device) owe(p *Peer, n int) {
	at := &p.paths[d.number]
	if at.left == 0 {
		d.peers++
	}
	if at.left += n; at.left == 0 {
		d.peers--
	}
}

// next returns which piece of its queue the device starts next: the first one to a peer that has few
// under way, else the first one. If the device has enough to do, there may be none: -1.
func (d *device) next(enough bool) int {
	if len(d.flying) < eachFlying*mostSharing {
		few := func(c *piece) bool { return c.of.Peer.paths[d.number].flying < eachFlying }
		if i := slices.IndexFunc(d.queue, few); i >= 0 {
			return i
		}
	}
	if enough {
		return -1
	}
	return 0
}

// fly notes that a piece is under way.
func (d *device) fly(c *piece) {
	d.flying = append(d.flying, c)
	c.of.Peer.paths[d.number].flying++
}

// leave removes a piece from those in flight. When none is in flight to a peer, the pace for it follows the device's
// measured rate: short messages go at full speed.
func (d *device) leave(c *piece) {
	at := &c.of.Peer.paths[d.number]
	d.owe(c.of.Peer, -c.len())
	if at.flying--; at.flying == 0 && at.handle != nil && d.best.rate > 0 {
		at.handle.SetPace(int(d.estimate().Bandwidth * headroom))
	}
}

// pace bounds the rates to the peers that a device sends long messages to.
func (d *device) pace() {
	if d.best.rate == 0 || len(d.flying) == 0 {
		return
	}
	d.sharing = d.sharing[:0]
	left := 0
	for _, c := range d.flying {
		if p := c.of.Peer; !slices.Contains(d.sharing, p) {
			d.sharing = append(d.sharing, p)
			left += p.paths[d.number].left
		}
	}
	rate := d.estimate().Bandwidth * headroom
	for _, p := range d.sharing {
		at := &p.paths[d.number]
		if at.handle != nil {
			share := max(float64(at.left)/float64(left), leastShare/float64(len(d.sharing)))
			at.handle.SetPace(int(rate * share))
		}
	}
	clear(d.sharing)
}
