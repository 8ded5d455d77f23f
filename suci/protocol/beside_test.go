package protocol

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// A stream fills a link of 1 Gbit/s, whose port could queue 12 ms of it. An urgent block of one
// packet waits for little of what the stream has sent.
func TestUrgentBesideAStream(t *testing.T) {
	const rounds, rate = 50, 125e6
	n := newNetwork(t, 31)
	n.rate, n.buffer = rate, 1500<<10
	a, b := n.start(nil), n.start(nil)
	stream := make([]byte, 1<<20)
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
	share := float64(bytes) * 1e9 / float64(n.now-begin) / rate
	t.Logf("median %d us, worst %d us; the stream has %.1f %% of the link", slices.Sorted(slices.Values(took))[rounds/2]/1000, slices.Max(took)/1000, 100*share)
	require.Less(t, slices.Max(took), 700*Microsecond)
	require.Greater(t, share, 0.8)
}
