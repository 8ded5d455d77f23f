package protocol

const (
	startWindow = 64 << 10
	capWindow   = 4 << 20
)

// What a control lets stand in queues: bytes, or a time if that is more at the rate at
// which packets arrive. The receiver's is smaller, since the standing grants, which its
// budget does not count, come on top.
const (
	senderQueue   = 40 << 10
	senderDelay   = 300 * Microsecond
	receiverQueue = 12 << 10
	receiverDelay = 100 * Microsecond
)

// control is the controller of a window: how many bytes may be under way. The sender has
// one per peer (bytes sent and not acknowledged), the receiver one for all its senders
// (bytes granted and not arrived).
//
// Time is cut into epochs, in each of which as many bytes arrive as the window is large,
// about a round trip. At the end of an epoch the window is
//
//	cut to 0.7           if packets were lost, as TCP Cubic does, but for losses by chance
//	cut by up to a third if even the fastest round trip waited longer than the target
//	enlarged by a half   in the beginning, until the first cut
//	enlarged by 1/8      if queues were nearly empty
//	enlarged by 1 packet otherwise, as TCP does
//
// A sender takes losses as chance if the beginning is over, and an eighth of the window is lost at most. And queues
// were nearly empty in the epoch before: below a quarter of the target, and half of the least round trip. Then the
// window grows by a packet. Else 1 % of losses would keep it at 28 packets: there as much is cut to 0.7 as is enlarged
// by 1/8. Both ends would have a system call for a few packets each. A receiver's window is cut in any case: a queue
// that many senders fill at once was empty before.
//
// The window is left alone if less than half of it was used. Round trips are measured between arrivals at the kernels,
// so a process that waits for its CPU is not taken for a queue.
type control struct {
	window   int // bytes
	queue    int // bytes that may stand in queues
	delay    Time
	sends    bool // it is a sender's
	began    Time // this epoch
	least    int  // bytes, the window is never smaller
	arrived  int  // bytes in this epoch
	fastest  Time
	used     int  // most bytes under way in this epoch
	lost     int  // bytes in this epoch
	cut      bool // for them
	calm     bool // queues were nearly empty in the last epoch, so that losses are by chance
	started  bool // the beginning is over
	patience bool // the last epoch's round trips were too slow, too
}

// newSendControl is the control of a sender of packets of so many bytes.
func (c *Config) newSendControl(packet int) control {
	start := startWindow
	if c.Start > 0 {
		start = max(c.Start, 16*packet)
	}
	return control{window: start, least: 16 * packet, queue: senderQueue, delay: senderDelay, sends: true}
}

// newBudget is the control of a receiver.
func (c *Config) newBudget() control {
	start := startBudget
	if c.Start > 0 {
		start = max(c.Start, leastBudget)
	}
	return control{window: start, least: leastBudget, queue: receiverQueue, delay: receiverDelay}
}

// sent notes how much is under way.
func (c *control) sent(underWay int) { c.used = max(c.used, underWay) }

// lose notes that so many bytes were lost. It tells whether that cut the window: the first loss of an epoch that is not
// by chance does, at once.
func (c *control) lose(bytes int) bool {
	c.lost += bytes
	if c.cut || c.started && c.calm && c.lost <= c.window/8 {
		return false
	}
	c.cut, c.started = true, true
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
func (c *control) arrive(now Time, bytes, packet int, base Time) {
	c.arrived += bytes
	if c.arrived >= c.window {
		c.adjust(packet, base, c.target(now-c.began))
		c.began = now
	}
}

// target is the delay in queues that is aimed at, after an epoch that took so long.
func (c *control) target(took Time) Time {
	return max(c.delay, min(Time(c.queue)*took/Time(c.arrived), 10*Millisecond))
}

// adjust ends an epoch.
func (c *control) adjust(packet int, base, target Time) {
	queue := c.fastest - base
	known := c.fastest != 0 && base != 0
	slow, nearlyEmpty := known && queue > target, known && queue < target/4
	switch {
	case c.cut:
	case slow && c.patience:
		c.started = true
		cut := min(float64(queue-target)/float64(queue)/2, 0.3)
		c.window = max(c.least, int(float64(c.window)*(1-cut)))
	case slow || c.used < c.window/2:
	case !c.started:
		c.window += c.window / 2
	case nearlyEmpty && c.lost == 0:
		c.window += max(packet, c.window/8)
	default:
		c.window += packet
	}
	c.window = min(c.window, capWindow)
	c.patience = slow
	c.calm = c.sends && nearlyEmpty && queue < base/2
	c.arrived, c.fastest, c.used, c.lost, c.cut = 0, 0, 0, 0, false
}
