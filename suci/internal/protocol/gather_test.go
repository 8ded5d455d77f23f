package protocol

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// gatherRounds lets seven nodes send 64 KiB at once to one behind a port of 1 Gbit/s that
// queues 64 KB, again and again. In each round some processes do not run for a while. It
// returns the times of the rounds.
func gatherRounds(t *testing.T, seed uint64, rounds int, stall Time) (took []Time) {
	const senders, length = 7, 64 << 10
	n := newNetwork(t, seed)
	n.rate, n.buffer, n.jitter = 125e6, 64<<10, 30*Microsecond
	root := n.start(nil)
	got := 0
	root.onBlock = func(*Incoming) { got++ }
	for range senders {
		x := n.start(nil)
		x.onBlock = func(*Incoming) { x.sendTo(root, 2, make([]byte, length), nil) }
	}
	for round := range rounds {
		begin := n.now
		for _, x := range n.nodes[1:] {
			root.sendTo(x, 4, []byte("now!"), nil)
		}
		for _, x := range n.nodes {
			if stall > 0 && n.rng.IntN(4) == 0 {
				n.pass(Time(n.rng.Int64N(int64(Millisecond))))
				x.stalled = n.now + Time(n.rng.Int64N(int64(stall)))
			}
		}
		n.run(10*Second, "a round", func() bool { return got == senders*(round+1) })
		took = append(took, n.now-begin)
	}
	return took
}

// No round takes much longer than the wire needs, which is 3.9 ms.
func TestGatherRounds(t *testing.T) {
	took := gatherRounds(t, 50, 15, 0)
	t.Logf("median %d us, worst %d us", slices.Sorted(slices.Values(took))[len(took)/2]/1000, slices.Max(took)/1000)
	require.Less(t, slices.Max(took), 6*Millisecond)
}

// Processes that wait for their CPU for up to 4 ms delay a round by little more than that: no
// round waits for a time-out on top.
func TestGatherRoundsOfBusyNodes(t *testing.T) {
	for seed := range uint64(3) {
		took := gatherRounds(t, 60+seed, 10, 4*Millisecond)
		t.Logf("median %d us, worst %d us", slices.Sorted(slices.Values(took))[len(took)/2]/1000, slices.Max(took)/1000)
		require.Less(t, slices.Max(took), 12*Millisecond)
	}
}
