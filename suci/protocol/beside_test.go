package protocol

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// A stream fills a link of 1 Gbit/s, whose port could queue 12 ms of it. An urgent block of one
// packet waits for little of what the stream has sent.
func TestUrgentBesideAStream(t *testing.T) {
	n := newNetwork(t, 31)
	n.rate, n.buffer = 125e6, 1500<<10
	worst, share := beside(t, n, 125e6)
	require.Less(t, worst, 700*Microsecond)
	require.Greater(t, share, 0.8)
}

// The same if it is the sender's own device that is slow, however slow: the urgent block waits
// for no more than the device has got.
func TestUrgentBesideAStreamFromASlowDevice(t *testing.T) {
	for _, rate := range []int{6e6, 12.5e6, 125e6} {
		t.Run(fmt.Sprintf("rate=%d", rate), func(t *testing.T) {
			n := newNetwork(t, 32)
			n.device = rate
			worst, share := beside(t, n, rate)
			packet := Time(1538 * 1e9 / rate)
			require.Less(t, worst, deviceTime+6*packet+200*Microsecond)
			require.Greater(t, share, 0.8)
		})
	}
}

// beside sends urgent blocks beside a stream. It returns how long the slowest one took, and the
// share of the rate that the stream has.
func beside(t *testing.T, n *network, rate int) (worst Time, share float64) {
	const rounds = 50
	a, b := n.start(nil), n.start(nil)
	stream := make([]byte, rate/500) // 2 ms of it
	var refill func(error)
	refill = func(error) { a.sendTo(b, 2, stream, refill) }
	bytes, urgent := 0, 0
	b.onBlock = func(in *Incoming) {
		if in.Priority == 7 {
			urgent++
		} else {
			bytes += len(in.Data)
		}
	}
	refill(nil)
	refill(nil)
	n.pass(100 * Millisecond)
	begin, took := n.now, []Time(nil)
	bytes = 0
	for i := range rounds {
		sent := n.now
		a.sendTo(b, 7, make([]byte, 1024), nil)
		n.run(Second, "the urgent block", func() bool { return urgent > i })
		took = append(took, n.now-sent)
		n.pass(Time(n.rng.Int64N(int64(2 * Millisecond))))
	}
	share = float64(bytes) * 1e9 / float64(n.now-begin) / float64(rate)
	t.Logf("median %d us, worst %d us; the stream has %.1f %% of the link", slices.Sorted(slices.Values(took))[rounds/2]/1000, slices.Max(took)/1000, 100*share)
	return slices.Max(took), share
}
