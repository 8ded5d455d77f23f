package protocol

import (
	"fmt"
	"math"
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
			require.Less(t, worst, deviceTime/2+4*packet)
			require.Greater(t, share, 0.8) // heads have 6.4 %
		})
	}
}

// A device that was slow and is fast again, or only seemed slow because the machine was busy, soon
// gets long batches again.
func TestDeviceBecomesFast(t *testing.T) {
	n := newNetwork(t, 33)
	n.device = 6e6
	a, b := n.start(nil), n.start(nil)
	finished := 0
	send := func(length int) {
		finished = 0
		a.sendTo(b, 2, make([]byte, length), func(error) { finished++ })
		n.run(10*Second, "a block", func() bool { return finished == 1 })
	}
	b.onBlock = func(*Incoming) {}
	send(1 << 20)
	slow := a.longs
	n.device = 0
	send(1 << 20)
	send(4 << 20)
	t.Logf("%d batches for 1 MiB, then %d for 5 MiB", slow, a.longs-slow)
	require.Less(t, a.longs-slow, 5*slow/2)
}

// The kernel counts a train until all of it was sent. A device that is looked at often is not taken
// for one that sends trains between two looks.
func TestRateOfADeviceThatSendsTrains(t *testing.T) {
	const rate, train, step = 125e6, 25e3, 10 * Microsecond
	m := newNetwork(t, 34).start(nil).m
	m.device.rate = rate
	for now, left := Time(0), 0.0; now < Second/10; now += step {
		trains := func() int { return int(math.Ceil(left/train)) * train }
		m.Queued(now, trains(), false)
		if trains() == train {
			left += train
			m.Queued(now, trains(), true)
		}
		left = max(0, left-rate*float64(step)/1e9)
		if left == 0 {
			left = 2 * train
			m.Queued(now, trains(), true)
		}
	}
	require.InEpsilon(t, rate, m.device.rate, 0.2)
}

// A process that looks late finds nothing queued. That says nothing of the device.
func TestLateLooksAtADevice(t *testing.T) {
	m := newNetwork(t, 35).start(nil).m
	m.device.rate = 125e6
	for now := Time(0); now < Second; now += Millisecond {
		m.device.hand(now, 1440)
		m.Queued(now+Millisecond/2, 0, true)
	}
	require.Equal(t, 125e6, m.device.rate)
}

// beside sends urgent blocks beside a stream. It returns how long the slowest one took, and the
// share of the rate that both have.
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
		}
		bytes += len(in.Data)
	}
	for range 16 {
		refill(nil)
	}
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
	t.Logf("median %d us, worst %d us; all have %.1f %% of the link", slices.Sorted(slices.Values(took))[rounds/2]/1000,
		slices.Max(took)/1000, 100*share)
	return slices.Max(took), share
}

// A stream on a path with long round trips fills the device, which then is looked at seldom: when it
// has sent all that it was given.
func TestDeviceOnALongPath(t *testing.T) {
	const device, length = 120e6, 8 << 20
	n := newNetwork(t, 33)
	n.device, n.delay, n.jitter = device, 120*Microsecond, 20*Microsecond
	a, b := n.start(nil), n.start(nil)
	b.m.Expect(0, 1, make([]byte, length))
	b.onBlock = func(*Incoming) {}
	done := false
	o := &Outgoing{Data: make([]byte, length), Priority: 2, Place: 1, Done: func(*Outgoing, error) { done = true }}
	begin := n.now
	require.NoError(t, a.m.Send(n.now, a.m.Peer(1), o))
	n.run(Second, "the block", func() bool { return done })
	share := length * 1e9 / float64(n.now-begin) / device
	t.Logf("%.1f %% of the device", 100*share)
	require.Greater(t, share, 0.85) // frames and headers take 6.4 %
}
