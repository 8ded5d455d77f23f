package protocol

const (
	startWindow = 64 << 10
	capWindow   = 4 << 20
	queueTarget = 300 * Microsecond // of delay in queues, beyond the least round trip
)

// control is the controller of a window: how many bytes may be under way. The sender has
// one per peer (bytes sent and not acknowledged), the receiver one for all its senders
// (bytes granted and not arrived).
//
// Time is cut into epochs, in each of which as many bytes arrive as the window is large,
// about a round trip. At the end of an epoch the window is
//
//	cut to 0.7           if packets were lost, as TCP Cubic does
//	cut by up to a third if even the fastest round trip waited longer than queueTarget
//	enlarged by a half   in the beginning, until the first cut
//	enlarged by 1/8      if queues were nearly empty
//	enlarged by 1 packet otherwise, as TCP does
//
// and left alone if less than half of it was used. Round trips are measured between
// arrivals at the kernels, so a process that waits for its CPU is not taken for a queue.
type control struct {
	window   int // bytes
	least    int // bytes, the window is never smaller
	arrived  int // bytes in this epoch
	fastest  Time
	used     int // most bytes under way in this epoch
	lost     bool
	started  bool // the beginning is over
	patience bool // the last epoch's round trips were too slow, too
}

func newControl(least int) control { return control{window: startWindow, least: least} }

// sent notes how much is under way.
func (c *control) sent(underWay int) { c.used = max(c.used, underWay) }

// lose notes that packets were lost. It tells whether that cut the window: the first
// loss of an epoch does, at once.
func (c *control) lose() bool {
	if c.lost {
		return false
	}
	c.lost, c.started = true, true
	c.window = max(c.least, c.window*7/10)
	return true
}

// round notes the time that a packet's round trip took.
func (c *control) round(d Time) {
	if c.fastest == 0 || d < c.fastest {
		c.fastest = d
	}
}

// arrive notes that bytes have arrived.
func (c *control) arrive(bytes, packet int, base Time) {
	c.arrived += bytes
	if c.arrived >= c.window {
		c.adjust(packet, base)
	}
}

// adjust ends an epoch.
func (c *control) adjust(packet int, base Time) {
	queue := c.fastest - base
	known := c.fastest != 0 && base != 0
	slow := known && queue > queueTarget
	switch {
	case c.lost: // cut already
	case slow && c.patience:
		c.started = true
		cut := min(float64(queue-queueTarget)/float64(queue)/2, 0.3)
		c.window = max(c.least, int(float64(c.window)*(1-cut)))
	case slow || c.used < c.window/2:
	case !c.started:
		c.window += c.window / 2
	case known && queue < queueTarget/4:
		c.window += max(packet, c.window/8)
	default:
		c.window += packet
	}
	c.window = min(c.window, capWindow)
	c.patience = slow
	c.arrived, c.fastest, c.used, c.lost = 0, 0, 0, false
}
