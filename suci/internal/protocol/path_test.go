package protocol

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/suci/internal/wire"
)

// jumbo lets a node send long packets.
func jumbo(c *Config) { c.Packet = 8972 }

// between is a network that carries packets of so many bytes there, and of so many back.
func (n *network) between(there, back int) {
	n.carries = func(from, to *node) int {
		if from.m.config.Self < to.m.config.Self {
			return there
		}
		return back
	}
}

// size is how long the packets of blocks to a peer are.
func (x *node) size(to *node) int { return x.m.Peer(to.m.config.Self).Flow(x.now).Packet }

// transfer sends a block both ways and waits for it.
func (n *network) transfer(a, b *node, number uint32, length int, within Time) {
	done := 0
	for _, x := range []*node{a, b} {
		to := a
		if x == a {
			to = b
		}
		x.sendTo(to, 2, block(number, length), func(err error) { require.NoError(n.t, err); done++ })
	}
	n.run(within, "blocks of both", func() bool { return done == 2 })
}

// Each direction finds what its path carries, though no router says so, and soon: nearly all that is sent before
// arrives. Sealed packets are no longer than others.
func TestPacketSizes(t *testing.T) {
	for _, c := range []struct{ there, back, least int }{
		{9000, 9000, 8972}, {8972, 1472, 8972}, {1472, 8972, 1472}, {1422, 1472, 1422}, {1252, 1252, 1252},
		{1419, 548, 1412}, {3000, 700, 2993}, {512, 9000, 512},
	} {
		for _, encrypt := range []bool{false, true} {
			for _, loss := range []float64{0, 0.05} {
				n := newNetwork(t, 21)
				n.batch = NewBatch(8972)
				n.between(c.there, c.back)
				n.loss = loss
				change := func(c *Config) { c.Packet, c.Seal = 8972, encrypt }
				a, b := n.start(change), n.start(change)
				n.transfer(a, b, 0, 200e3, 5*Second)
				require.LessOrEqual(t, a.size(b), c.there)
				require.LessOrEqual(t, b.size(a), c.back)
				n.pass(2 * Second)
				resent := a.m.count.Resent
				n.transfer(a, b, 1, 100e3, Second)
				require.LessOrEqual(t, a.size(b), c.there)
				if loss == 0 {
					require.GreaterOrEqual(t, a.size(b), c.least)
					require.Equal(t, resent, a.m.count.Resent)
				}
				require.Zero(t, n.fragmented)
			}
		}
	}
}

// The smaller of what both ends, and of what their devices allow is used, and nothing is asked beyond that.
func TestPacketSizesOfDevices(t *testing.T) {
	n := newNetwork(t, 22)
	n.batch = NewBatch(8972)
	longest := 0
	n.observe = func(_, _ *node, b []byte) { longest = max(longest, len(b)) }
	a := n.start(jumbo)
	b := n.start(func(c *Config) { c.Packet = 4000 })
	n.transfer(a, b, 0, 100e3, Second)
	require.Equal(t, []int{4000, 4000, 4000}, []int{a.size(b), b.size(a), longest})
}

// A path carries less from now on. Blocks under way are cut by the network where it can; those that follow are shorter.
// Then it carries more again.
func TestPathShrinks(t *testing.T) {
	n := newNetwork(t, 23)
	n.cuts, n.rate, n.buffer = true, 125e6, 1<<20
	n.batch = NewBatch(8972)
	a, b := n.start(jumbo), n.start(jumbo)
	n.transfer(a, b, 0, 100e3, Second)
	require.Equal(t, 8972, a.size(b))
	done := 0
	for i := range uint32(4) {
		a.sendTo(b, 2, block(1+i, 4e6), func(err error) { require.NoError(t, err); done++ })
	}
	n.pass(5 * Millisecond)
	n.between(1400, 9000)
	begin := n.now
	n.run(Second, "the blocks", func() bool { return done == 4 })
	t.Logf("%d packets cut, %d dropped, took %d ms", n.fragmented, n.dropped, (n.now-begin)/Millisecond)
	require.Positive(t, n.fragmented, "of the block that was under way")
	require.Less(t, n.fragmented, 700, "those that waited are cut anew")
	require.InDelta(t, 1400, a.size(b), nearSize)
	n.carries = nil
	n.pass(raisePeriod)
	a.sendTo(b, 2, block(5, 100e3), func(err error) { require.NoError(t, err); done++ })
	n.run(Second, "the last block", func() bool { return done == 5 })
	n.pass(Second)
	require.Equal(t, 8972, a.size(b))
}

// A switch drops long frames from some moment on, and nothing cuts them. The block that was under way fails, and those
// that waited go on in shorter packets.
func TestPathDropsLongPackets(t *testing.T) {
	n := newNetwork(t, 29)
	n.rate, n.buffer = 125e6, 1<<20
	n.batch = NewBatch(8972)
	a, b := n.start(jumbo), n.start(jumbo)
	n.transfer(a, b, 0, 100e3, Second)
	b.onBlock = func(*Incoming) {} // also of a block that was given up
	var ends []error
	for i := range uint32(3) {
		a.sendTo(b, 2, block(1+i, 4e6), func(err error) { ends = append(ends, err) })
	}
	n.pass(5 * Millisecond)
	n.between(1400, 9000)
	begin := n.now
	n.run(Time(30*Second), "the ends of the blocks", func() bool { return len(ends) == 3 })
	t.Logf("took %d ms", (n.now-begin)/Millisecond)
	require.ErrorIs(t, ends[0], ErrLost)
	require.NoError(t, ends[1])
	require.NoError(t, ends[2])
	require.InDelta(t, 1400, a.size(b), nearSize)
}

// A blackout says nothing of what a path carries, and losses do not, either.
func TestPacketSizeAfterLosses(t *testing.T) {
	n := newNetwork(t, 24)
	a, b := n.start(nil), n.start(nil)
	n.transfer(a, b, 0, 10e3, Second)
	done := 0
	for i := range uint32(20) {
		a.sendTo(b, 2, block(i+1, 100e3), func(err error) { require.NoError(t, err); done++ })
	}
	n.loss = 0.4
	n.pass(100 * Millisecond)
	n.dark = true
	n.pass(5 * Second)
	n.dark, n.loss = false, 0
	n.run(5*Second, "the blocks", func() bool { return done == 20 })
	n.pass(raisePeriod)
	n.loss = 0.01
	a.sendTo(b, 2, block(21, 100e3), func(err error) { require.NoError(t, err); done++ })
	n.run(Second, "the last block", func() bool { return done == 21 })
	n.pass(Second)
	require.Equal(t, 1472, a.size(b))
}

// A device has refused packets: what is sent from then on is no longer than it takes.
func TestShrink(t *testing.T) {
	n := newNetwork(t, 25)
	device := 1472
	n.carries, n.cuts = func(_, _ *node) int { return device }, true
	a := n.start(func(c *Config) { c.Longest = func(netip.AddrPort) int { return device } })
	b := n.start(nil)
	n.transfer(a, b, 0, 10e3, Second)
	device = 1222
	a.m.Shrink(n.now)
	require.Equal(t, 1222, a.size(b))
	done := false
	a.sendTo(b, 2, block(1, 1e5), func(err error) { require.NoError(t, err); done = true })
	n.run(Second, "the block", func() bool { return done })
	require.Zero(t, n.fragmented)
	a.m.Shrink(n.now) // a question was too long
	require.Equal(t, 1222, a.size(b))
	require.Nil(t, a.m.Peer(1).search)
}

// Blocks that were never sent are cut anew, in between those given up.
func TestRecut(t *testing.T) {
	n := newNetwork(t, 26)
	a, b := n.start(nil), n.start(nil)
	n.transfer(a, b, 0, 10e3, Second)
	p := a.m.Peer(1)
	n.dark = true
	done, given := 0, 0
	var list []*Outgoing
	for i := range uint32(6) {
		o := &Outgoing{Data: block(1+i, 50e3), Priority: 2, Done: func(_ *Outgoing, err error) {
			if done++; err != nil {
				given++
			}
		}}
		require.NoError(t, a.m.Send(n.now, p, o))
		list = append(list, o)
	}
	n.pass(Millisecond)
	a.m.Cancel(n.now, p, list[5], errCanceled)
	p.setSize(700)
	p.setSize(wire.MinPacket)
	p.setSize(1200)
	n.dark = false
	n.run(5*Second, "all blocks", func() bool { return done == 6 })
	require.Equal(t, 1, given)
	require.Equal(t, uint32(6), b.got[stream{0, 2}])
}
