package protocol

// delivery measures the rate at which bytes come to a peer, in stretches: the times in which packets are under way,
// from one acknowledgement to another. Stretches are added up until they suffice for a rate. An
// acknowledgement counts from the arrival of the newest packet at the peer's kernel: its process may acknowledge
// late, and then much at once. A stretch ends when nothing is under way any more: the time until more is
// sent is not the path's.
type delivery struct {
	rate  float64 // bytes per second, smoothed; 0: not known
	since Time    // when the stretch began, 0: none has
	bytes int     // that came since
	took  Time    // by the stretches before
	sum   int     // bytes of them
}

const (
	// deliverySample is long enough to be more than the bursts in which acknowledgements come.
	deliverySample = 64 << 10

	// stretchLeast is how many bytes a stretch must have to count.
	stretchLeast = 8 << 10
)

// note takes an acknowledgement of so many bytes, the newest of which have come at the given
// time. busy tells whether more are under way. note tells whether the rate is a new one.
func (d *delivery) note(arrived Time, bytes int, busy bool) (sample bool) {
	if d.since == 0 {
		d.begin(arrived, busy)
		return false
	}
	d.bytes += bytes
	took := arrived - d.since
	if took > 0 && d.bytes >= stretchLeast && (!busy || d.sum+d.bytes >= deliverySample) {
		d.took += took
		d.sum += d.bytes
		d.begin(arrived, busy)
		return d.take()
	}
	if !busy {
		d.since = 0
	}
	return false
}

// take takes a rate of what has been added up, if that is enough.
func (d *delivery) take() bool {
	if d.sum < deliverySample {
		return false
	}
	d.rate = smoothed(d.rate, float64(d.sum)*1e9/float64(d.took))
	d.took, d.sum = 0, 0
	return true
}

// smoothed is a rate after one more value.
func smoothed(rate, value float64) float64 {
	if rate == 0 {
		return value
	}
	return rate + (value-rate)/4
}

func (d *delivery) begin(arrived Time, busy bool) {
	d.since, d.bytes = 0, 0
	if busy {
		d.since = arrived
	}
}
