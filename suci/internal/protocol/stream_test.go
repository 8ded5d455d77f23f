package protocol

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// newPair returns two nodes with devices of a bandwidth, which have a session, and the number of blocks that have come.
func newPair(t *testing.T, seed uint64, device int) (n *network, finished *int) {
	n, finished = newNetwork(t, seed), new(int)
	n.device = device
	n.start(nil)
	n.start(nil)
	for i, x := range n.nodes {
		x.onBlock = func(*Incoming) { *finished++ }
		x.sendTo(n.nodes[1-i], 2, make([]byte, 8), nil) // opens the session
	}
	n.run(Second, "two short blocks", func() bool { return *finished == 2 })
	return n, finished
}

// Two nodes with slow devices send each other long blocks at a pace little above that of the devices.
// They look at their sockets and timers only now and then. With slack that costs no bandwidth.
func TestStreamsOfNodesThatLookNowAndThen(t *testing.T) {
	const device, beat, length = 6e6, 320 * Microsecond, 1 << 20
	n, finished := newPair(t, 41, device)
	a, b := n.nodes[0], n.nodes[1]
	for i, x := range n.nodes {
		other := n.nodes[1-i]
		x.m.Expect(other.m.config.Self, 7, make([]byte, length))
		x.m.SetSlack(250 * Microsecond)
		x.m.Peer(other.m.config.Self).SetPace(1.2 * device)
	}
	for i, x := range n.nodes {
		o := &Outgoing{Data: make([]byte, length), Priority: 2, Place: 7}
		require.NoError(t, x.m.Send(n.now, x.m.Peer(ID(1-i)), o))
	}
	begin := n.now
	require.True(t, a.m.Streams() && b.m.Streams())
	for *finished < 4 {
		n.now += beat
		n.events()
		require.Less(t, n.now, begin+Second)
	}
	share := length * 1e9 / float64(n.now-begin) / device
	t.Logf("%.1f %% of the device, %d packets sent again", 100*share, a.m.count.Resent+b.m.count.Resent)
	require.Greater(t, share, 0.88) // frames and headers take 6.4 %
	require.False(t, a.m.Streams() || b.m.Streams())
	require.Zero(t, a.m.count.Resent+b.m.count.Resent)
	require.Equal(t, uint64(2*(length+8)), a.m.Payload())
}

// Two nodes as above, whose looks are late now and then: the processes wait for a CPU. What the device may queue adapts
// itself, and is small again when looks are in time.
func TestStreamsOfNodesThatLookLate(t *testing.T) {
	const device, length = 6e6, 4 << 20
	n, finished := newPair(t, 42, device)
	a, b := n.nodes[0], n.nodes[1]
	stream := func(late Time) (share float64) {
		begin, before := n.now, *finished
		for i, x := range n.nodes {
			other := n.nodes[1-i]
			x.m.Expect(other.m.config.Self, 7, make([]byte, length))
			x.m.SetSlack(250 * Microsecond)
			x.m.Peer(other.m.config.Self).SetPace(1.2 * device)
			o := &Outgoing{Data: make([]byte, length), Priority: 2, Place: 7}
			require.NoError(t, x.m.Send(n.now, x.m.Peer(ID(1-i)), o))
		}
		for beat := 0; *finished < before+2; beat++ {
			n.now += 320 * Microsecond
			if beat%2 == 0 {
				n.now += late
			}
			n.events()
			require.Less(t, n.now, begin+5*Second)
		}
		return length * 1e9 / float64(n.now-begin) / device
	}
	late := stream(600 * Microsecond)
	t.Logf("%.1f %% of the device, %d halves more in its queue", 100*late, a.m.device.extra)
	require.Greater(t, late, 0.88)
	require.Positive(t, a.m.device.extra)
	require.Zero(t, a.m.count.Resent+b.m.count.Resent)

	for _, x := range n.nodes {
		x.m.device.extra = mostExtra
	}
	require.Greater(t, stream(0), 0.88)
	require.LessOrEqual(t, a.m.device.extra, 1)
}
