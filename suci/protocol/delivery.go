package protocol

// delivery measures the rate at which bytes come to a peer, in samples of deliverySample
// bytes from one acknowledgement to another. An acknowledgement counts from the arrival of the
// newest packet at the peer's kernel: its process may acknowledge late, and then much at once.
// A sample ends early, and does not count, when nothing is under way any more: the time until
// more is sent is not the path's.
type delivery struct {
	rate  float64 // bytes per second, smoothed; 0: not known
	since Time    // when the sample began, 0: none has
	bytes int     // that came since
}

// deliverySample is long enough to be more than the bursts in which acknowledgements come.
const deliverySample = 128 << 10

// note takes an acknowledgement of so many bytes, the newest of which have come at the given
// time. busy tells whether more are under way.
func (d *delivery) note(arrived Time, bytes int, busy bool) {
	if d.since == 0 {
		d.begin(arrived, busy)
		return
	}
	d.bytes += bytes
	if took := arrived - d.since; d.bytes >= deliverySample && took > 0 {
		rate := float64(d.bytes) * 1e9 / float64(took)
		if d.rate == 0 {
			d.rate = rate
		}
		d.rate += (rate - d.rate) / 4
		d.begin(arrived, busy)
	} else if !busy {
		d.since = 0
	}
}

func (d *delivery) begin(arrived Time, busy bool) {
	d.since, d.bytes = 0, 0
	if busy {
		d.since = arrived
	}
}
