package protocol

// minLife is how long the smallest round trip of the past counts.
const minLife = 10 * Second

// rtt estimates the round trip: smoothed as RFC 6298 does, and the least of the last ten
// to twenty seconds, which is the path's without queues.
type rtt struct {
	smooth, variance Time
	current, before  Time // least of this period and of the one before, 0: none
	period           Time
	late             Time // the longest delay of recent acknowledgements at the receiver; it decays
}

func (r *rtt) sample(now, d Time) {
	d = max(d, 1)
	if r.smooth == 0 {
		r.smooth, r.variance = d, d/2
	} else {
		off := r.smooth - d
		if off < 0 {
			off = -off
		}
		r.variance += (off - r.variance) / 4
		r.smooth += (d - r.smooth) / 8
	}
	if now-r.period > minLife {
		r.before, r.current, r.period = r.current, 0, now
	}
	if r.current == 0 || d < r.current {
		r.current = d
	}
}

// least is the round trip without queues, 0 if unknown.
func (r *rtt) least() Time {
	if r.before != 0 && (r.current == 0 || r.before < r.current) {
		return r.before
	}
	return r.current
}

// firstProbe is the time to a probe before the round trip is known. All of a first window can be
// lost when many begin at once. On a longer path the probes are in vain, a few small packets.
const firstProbe = 4 * Millisecond

// mostLate bounds the time that is allowed to processes that wait for a CPU.
const mostLate = 20 * Millisecond

// answered notes how long the receiver took to acknowledge a packet that had arrived. Where it waits for a
// CPU, that is longer than the network takes, and a probe would only add to the load.
func (r *rtt) answered(d Time) {
	if d > r.late {
		r.late = min(d, mostLate)
	} else {
		r.late += (d - r.late) / 8
	}
}

// probe is the time after which an acknowledgement is overdue.
func (r *rtt) probe() Time {
	if r.smooth == 0 {
		return firstProbe
	}
	return r.smooth + 4*r.variance + max(slowAckDelay, 2*r.late)
}
