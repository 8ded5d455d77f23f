package protocol

// The sender's own device. What was handed to the kernel cannot be overtaken any more: an urgent
// block would wait until the device has sent all of it. So of long blocks no more is handed over
// than the device sends in deviceTime, and at least two packets; the rest waits here, behind what
// is more urgent. Blocks of one packet are never held back: they would wait here for what they
// would wait for there.
//
// The kernel tells how many bytes of this endpoint wait. It counts its own memory, which is up
// to twice as much as the packets, and it counts a train until all of the train was sent. So half
// of what may be queued goes as a train, and while the device sends that, the other half waits. A
// slow device gets the least there can be: one packet is being sent, and one waits. While its loop
// gathers it gets twice as much, as two trains. That does not last if looks come later than the loop wants, because the
// process waits for a CPU. So a look that finds next to nothing queued, while a long block was held back, has half as
// much again allowed, up to three times. When half of that has not been used for a while it is taken back. This is
// what the kernel's dynamic queue limits do.
//
// The rate of the device is measured in the same unit. A sample is what became less while the
// queue was never empty, between a look after sending and those before sending again. It takes
// several of those: one look finds that nothing was sent, and the next one that a whole train was.
// So does a sample that ends with an empty queue, if the queue was empty before it, too: no train of it
// had been sent in part. Then the device is at least that fast, however late it was looked at.
// A device that has sent at once all that may be queued is faster than it was taken to be. It must
// have been seen to do so in half the time: a process that looks late finds nothing queued, either.
//
// While nothing waits, nobody looks before sending; on a path whose bottleneck is elsewhere nothing
// is held back.
type device struct {
	queued int     // bytes, as of the last look
	handed int     // bytes since then, as the kernel may count them
	at     Time    // of the last look
	rate   float64 // bytes per second; 0: not known
	free   Time    // long blocks wait until then
	seldom bool    // it is looked at now and then only: then a slow one gets two trains, too

	// While it is looked at now and then only: how much more may be queued, as looks are late.
	extra    int  // in halves of what may be queued else
	lowest   int  // the fewest bytes that a look found since lowSince
	lowSince Time // when lowest began anew

	// The sample: how much became less in how much time.
	sent  int
	took  Time
	whole bool // the queue was empty before it

	// What was handed over since a time and was sent when the device was looked at.
	fast  int
	since Time
}

const (
	deviceTime  = 400 * Microsecond
	deviceLeast = 6 << 10          // two packets, as the kernel counts
	deviceLook  = 50 * Microsecond // until the next look, while the rate is not known
	fastDevice  = 1e12             // bytes per second, faster than any

	deviceSample = 2 * deviceTime // some trains

	mostExtra   = 4                // device.extra
	extraPeriod = 50 * Millisecond // without need, until one of it is taken back
)

// Backlogged tells whether something waited in the device's queue at the last look: then Queued
// is to be called before Transmit.
func (m *Machine) Backlogged() bool { return m.device.queued > 0 }

// Queued tells how many bytes of what was sent wait in the queue of the device. It is to be called
// after the packets of a batch were sent that has parts of long blocks (sent is true), and when
// Backlogged says so.
func (m *Machine) Queued(now Time, bytes int, sent bool) {
	d := &m.device
	switch {
	case sent && bytes == 0:
		d.outrun(now)
	case sent:
		d.fast, d.since = 0, 0
		d.whole = d.whole || d.queued == d.handed
	case bytes <= d.queued:
		if d.seldom && d.free != 0 {
			d.adapt(now, bytes, m.starved(now))
		}
		d.measure(d.queued-bytes, now-d.at, bytes > 0)
	}
	d.queued, d.handed, d.at = bytes, 0, now
	d.hold(now)
}

// measure notes by how much the queue has become shorter in a time, at whose end it was not empty
// (busy), or was: then the device may have been faster.
func (d *device) measure(sent int, took Time, busy bool) {
	d.sent += sent
	d.took += took
	if busy && (d.sent == 0 || d.rate > 0 && d.took < deviceSample) {
		return
	}
	rate := float64(d.sent) * 1e9 / float64(max(d.took, 1))
	switch {
	case d.rate == 0:
		d.rate = rate
	case !busy && d.whole && d.took < deviceSample:
		rate = min(rate, 2*d.rate) // some of it may have been sent before the first look
		d.rate += max(rate-d.rate, 0) / 4
	case busy, d.took >= deviceSample && rate > d.rate:
		d.rate = min(d.rate, 2*rate) // it may have been taken for faster than it is by far
		d.rate += (rate - d.rate) / 4
	}
	d.sent, d.took, d.whole = 0, 0, false
}

// outrun notes that the device has sent all it was given.
func (d *device) outrun(now Time) {
	d.sent, d.took, d.whole = 0, 0, false
	if now-d.since > deviceTime/2 {
		d.fast, d.since = 0, now // how long it took for what was handed before is not known
		return
	}
	if d.fast += d.handed; d.fast > d.most() {
		d.rate = min(2*d.rate, fastDevice)
		d.fast = 0
	}
}

// adapt notes how much a look has found queued, before anything is sent, and whether more could have been sent
// if it had not been held back.
func (d *device) adapt(now Time, bytes int, starved bool) {
	d.lowest = min(d.lowest, bytes)
	switch {
	case starved && bytes < deviceLeast/2: // perhaps some acknowledgements
		d.extra = min(d.extra+1, mostExtra)
	case now-d.lowSince < extraPeriod:
		return
	case d.extra > 0 && d.lowest >= d.base()/2:
		d.extra--
	}
	d.lowest, d.lowSince = bytes, now
}

// starved tells whether a part of a long block waits for nothing but the device.
func (m *Machine) starved(now Time) bool {
	for _, p := range m.active {
		if p.session == nil {
			continue
		}
		for set := p.sending; set != 0; set = set.rest() {
			if s := p.lanes[set.first()].out; s.willing(now) && s.held() != 0 { // 0: of one packet
				return true
			}
		}
	}
	return false
}

// most is how many bytes may be queued.
func (d *device) most() int {
	if !d.seldom {
		return d.base()
	}
	return d.base() * (2 + d.extra) / 2
}

// base is most without extra.
func (d *device) base() int { return max(d.least(), int(d.rate*float64(deviceTime)/1e9)) }

func (d *device) least() int {
	if d.seldom {
		return 2 * deviceLeast
	}
	return deviceLeast
}

// hold sets the time until which long blocks wait. By its rate, the device has sent all but half of
// what may be queued then. The device is looked at again after a millisecond at the latest.
func (d *device) hold(now Time) {
	most := d.most()
	if d.queued <= most/2 || d.queued <= most && d.free == 0 {
		d.free = 0
		return
	}
	wait := deviceLook
	if d.rate > 0 {
		wait = min(Time(float64(d.queued-most/2)*1e9/d.rate), Millisecond)
	}
	d.free = now + wait
}

// hand notes a packet that is about to be sent, of which the device is not asked yet. If the device
// is not known to be slow it takes any. What follows waits until it is asked, if there is no room
// for another packet in the train.
func (d *device) hand(now Time, length int) {
	if d.rate == 0 {
		return
	}
	length *= 2
	d.queued += length
	d.handed += length
	d.hold(now)
	if most := d.most(); d.free == 0 && (d.seldom || most > d.least()) && d.handed+length > most/2 {
		d.free = now + deviceLook
	}
}

// held tells until when the lane's next packet is held back.
func (s *sender) held() Time {
	free := s.peer.machine.device.free
	if free == 0 || s.lost == 0 && s.block(s.next).total == 1 {
		return 0
	}
	return free
}
