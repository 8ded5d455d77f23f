package protocol

// The sender's own device. What was handed to the kernel cannot be overtaken any more: an urgent
// block would wait until the device has sent all of it. So of long blocks no more is handed over
// than the device sends in deviceTime, and at least deviceLeast; the rest waits here, behind what
// is more urgent. Blocks of one packet are never held back: they would wait here for what they
// would wait for there.
//
// The kernel tells how many bytes of this endpoint wait. It counts its own memory, which is up
// to twice as much as the packets. The rate of the device is measured in the same unit, between
// a look after sending and the one before sending again. While nothing waits, nobody looks
// before sending; on a path whose bottleneck is elsewhere nothing is held back.
type device struct {
	queued int     // bytes, as of the last look
	at     Time    // of the last look
	rate   float64 // bytes per second; 0: not known
	free   Time    // long blocks wait until then
}

const (
	deviceTime  = 400 * Microsecond
	deviceLeast = 12 << 10         // four packets, as the kernel counts
	deviceLook  = 50 * Microsecond // until the next look, while the rate is not known
	fastDevice  = 1e12             // bytes per second, faster than any
)

// Backlogged tells whether something waited in the device's queue at the last look: then Queued
// is to be called before Transmit.
func (m *Machine) Backlogged() bool { return m.device.queued > 0 }

// Queued tells how many bytes of what was sent wait in the queue of the device. It is to be called
// after the packets of a batch were sent that has parts of long blocks (sent is true), and when
// Backlogged says so.
func (m *Machine) Queued(now Time, bytes int, sent bool) {
	d := &m.device
	switch took := now - d.at; {
	case sent && bytes == 0:
		d.rate = min(2*d.rate, fastDevice) // it is faster than it was
	case !sent && bytes < d.queued && took > 0:
		d.measure(float64(d.queued-bytes)*1e9/float64(took), bytes > 0)
	}
	d.queued, d.at = bytes, now
	d.hold(now)
}

// measure takes a rate at which the queue became shorter; if it has become empty the device may be
// faster.
func (d *device) measure(rate float64, exact bool) {
	switch {
	case d.rate == 0 || !exact && rate > d.rate:
		d.rate = rate
	case exact:
		d.rate += (rate - d.rate) / 8
	}
}

// hold sets the time until which long blocks wait. By its rate, the device has sent all but half of
// what may be queued then, so several packets go at a time. The device is looked at again after a
// millisecond at the latest.
func (d *device) hold(now Time) {
	most := max(deviceLeast, int(d.rate*float64(deviceTime)/1e9))
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
// is not known to be slow it takes any.
func (d *device) hand(now Time, length int) {
	if d.rate > 0 {
		d.queued += 2 * length
		d.hold(now)
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
