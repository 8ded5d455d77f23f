package protocol

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/suci/internal/wire"
)

func TestOneBlock(t *testing.T) {
	n := newNetwork(t, 1)
	a, b := n.start(nil), n.start(nil)
	done := false
	a.sendTo(b, 3, block(0, 100000), func(err error) { require.NoError(t, err); done = true })
	n.run(Second, "delivery", func() bool { return done })
	require.Equal(t, 1, b.received)
	require.Zero(t, a.m.count.Resent)
	require.Zero(t, b.m.count.Duplicates)
	n.pass(Second)
	require.Empty(t, a.m.active, "idle machines look at nobody")
	require.Empty(t, b.m.active)
	require.Equal(t, Never, a.m.Wake())
	require.Zero(t, b.m.mem.held)
}

// traffic is a random load among all nodes of a network.
type traffic struct {
	sent     map[[2]ID]map[uint8]uint32
	blocks   int
	finished int
	bytes    int
}

func (n *network) traffic(blocks, longest int) *traffic {
	tr := &traffic{sent: map[[2]ID]map[uint8]uint32{}, blocks: blocks}
	for range blocks {
		from := n.nodes[n.rng.IntN(len(n.nodes))]
		to := n.nodes[n.rng.IntN(len(n.nodes))]
		for to == from {
			to = n.nodes[n.rng.IntN(len(n.nodes))]
		}
		lane := uint8(n.rng.IntN(wire.Lanes))
		pair := [2]ID{from.m.config.Self, to.m.config.Self}
		if tr.sent[pair] == nil {
			tr.sent[pair] = map[uint8]uint32{}
		}
		length := 4 + n.rng.IntN(100)
		if n.rng.IntN(3) == 0 {
			length = 4 + n.rng.IntN(longest)
		}
		number := tr.sent[pair][lane]
		tr.sent[pair][lane]++
		tr.bytes += length
		from.sendTo(to, lane, block(number, length), func(err error) {
			require.NoError(n.t, err)
			tr.finished++
		})
	}
	return tr
}

// watch checks on every packet that data stays within the grants and that no more
// packets are sent again than were asked for.
func (n *network) watch() {
	type lane struct {
		from, to ID
		lane     uint8
	}
	sent := map[lane]map[uint64]bool{}
	asked, resent := map[lane]int{}, map[lane]int{}
	n.observe = func(from, to *node, b []byte) {
		p, err := wire.ParsePrefix(b)
		require.NoError(n.t, err)
		if p.Kind != wire.Data {
			return
		}
		var h wire.DataHeader
		var a wire.AckHeader
		_, err = wire.ParseData(b, p, &h, &a)
		require.NoError(n.t, err)
		l := lane{from.m.config.Self, to.m.config.Self, p.Lane}
		require.Less(n.t, h.Seq, to.limit(l.from, p.Lane), "beyond the grant")
		if sent[l] == nil {
			sent[l] = map[uint64]bool{}
		}
		if sent[l][h.Seq] {
			resent[l]++
			require.LessOrEqual(n.t, resent[l], asked[l], "sent again although nobody asked")
		}
		sent[l][h.Seq] = true
	}
	n.arrival = func(from, to *node, b []byte) {
		var a wire.AckHeader
		if p, err := wire.ParsePrefix(b); err == nil && p.Kind == wire.Ack {
			_, err := wire.ParseAck(b, p, &a)
			require.NoError(n.t, err)
			asked[lane{to.m.config.Self, from.m.config.Self, p.Lane}] += int(a.Resend)
		}
	}
}

// limit is what a node has granted on a lane.
func (x *node) limit(from ID, number uint8) uint64 {
	if x.m.peers[from].session == nil {
		return initialWindow // the Accept with the window is under way
	}
	l := &x.m.peers[from].lanes[number]
	if l.in != nil {
		return l.in.limit
	}
	return l.granted
}

func TestHostileNetwork(t *testing.T) {
	seed := testkit.Seed(t)
	cases := []struct {
		name          string
		loss, dup     float64
		delay, jitter Time
		nodes, blocks int
		longest       int
	}{
		{"clean", 0, 0, 20 * Microsecond, 0, 3, 300, 200000},
		{"loss of 0.1 %", 0.001, 0, 20 * Microsecond, 0, 2, 300, 300000},
		{"loss of 5 %", 0.05, 0, 20 * Microsecond, 0, 3, 200, 100000},
		{"loss of 30 %", 0.3, 0, 100 * Microsecond, 0, 2, 100, 50000},
		{"duplicates", 0, 0.3, 20 * Microsecond, 0, 3, 200, 100000},
		{"reordering", 0, 0, 20 * Microsecond, 2 * Millisecond, 2, 100, 200000},
		{"everything", 0.02, 0.1, Millisecond, Millisecond, 4, 200, 100000},
		{"many nodes", 0.01, 0.01, 50 * Microsecond, 50 * Microsecond, 16, 600, 50000},
	}
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			n := newNetwork(t, seed+uint64(i))
			n.loss, n.dup, n.delay, n.jitter = c.loss, c.dup, c.delay, c.jitter
			for range c.nodes {
				n.start(nil)
			}
			n.watch()
			tr := n.traffic(c.blocks, c.longest)
			n.run(100*Second, "all blocks", func() bool { return tr.finished == tr.blocks })
			received, resent, dups := 0, uint64(0), uint64(0)
			for _, x := range n.nodes {
				received += x.received
				resent += x.m.count.Resent
				dups += x.m.count.Duplicates
				require.Zero(t, x.m.count.Overrun)
				require.Zero(t, x.m.count.Malformed)
			}
			require.Equal(t, tr.blocks, received)
			t.Logf("%v of virtual time, %d packets, %d dropped, %d resent, %d duplicates, %d bytes",
				n.now-Second, n.packets, n.dropped, resent, dups, tr.bytes)
			n.pass(2 * Second)
			for _, x := range n.nodes {
				if len(x.m.active) > 0 {
					n.dump()
				}
				require.Empty(t, x.m.active)
				require.Zero(t, x.m.mem.held)
			}
		})
	}
}

// A blackout of a minute loses nothing, and traffic goes on within seconds.
func TestBlackout(t *testing.T) {
	n := newNetwork(t, 5)
	n.start(nil)
	n.start(nil)
	tr := n.traffic(200, 500000)
	n.run(Second, "a start", func() bool { return tr.finished > 10 })
	n.dark = true
	n.pass(60 * Second)
	n.dark = false
	for _, x := range n.nodes {
		require.Contains(t, x.changes, Silent)
		require.NotContains(t, x.changes, Answers)
	}
	before := tr.finished
	require.Less(t, before, tr.blocks)
	n.run(2*Second, "all blocks", func() bool { return tr.finished == tr.blocks })
	require.Contains(t, n.nodes[0].changes, Answers)
	require.Equal(t, tr.blocks, n.nodes[0].received+n.nodes[1].received)
}

// Receivers that do not read hold no more than their memory, and go on when they read.
func TestSlowReader(t *testing.T) {
	for _, loss := range []float64{0, 0.05} {
		t.Run(fmt.Sprintf("loss=%v", loss), func(t *testing.T) {
			n := newNetwork(t, 6)
			n.loss = loss
			small := func(c *Config) { c.PeerMemory, c.Memory = 256<<10, 512<<10 }
			var nodes []*node
			for range 4 {
				nodes = append(nodes, n.start(small))
			}
			reader := nodes[0]
			reader.slow = true
			finished := 0
			for i := range uint32(100) {
				for _, from := range nodes[1:] {
					from.sendTo(reader, uint8(i%8), block(i/8, 4+int(i)*1000), func(err error) {
						require.NoError(t, err)
						finished++
					})
				}
			}
			n.pass(5 * Second)
			require.Less(t, finished, 300)
			require.NotEmpty(t, reader.unread)
			packets := n.packets
			n.pass(10 * Second)
			require.Less(t, n.packets-packets, 3*8*100, "a full receiver is not flooded")
			reader.slow = false
			n.run(60*Second, "all blocks", func() bool { return finished == 300 })
			require.Equal(t, 300, reader.received)
		})
	}
}

// A block is lost, and those behind it fill more than half of the memory, or all that is left when the memory is
// lowered. It is asked for and delivered all the same.
func TestLateBlocksFillTheMemory(t *testing.T) {
	const least = 32 << 10
	for name, memory := range map[string]int{"small": least, "lowered": 8 * least} {
		t.Run(name, func(t *testing.T) {
			n := newNetwork(t, 9)
			a := n.start(nil)
			b := n.start(func(c *Config) { c.PeerMemory, c.Memory, c.Block = memory, memory, least/2 })
			finished := 0
			send := func(number uint32, length int) {
				a.sendTo(b, 0, block(number, length), func(err error) { require.NoError(t, err); finished++ })
			}
			send(0, 4)
			n.run(Second, "the session", func() bool { return finished == 1 })
			n.carries = func(_, _ *node) int { return 1000 }
			send(1, least/2-600) // in packets of full length
			for i := range uint32(64) {
				send(2+i, 900)
			}
			n.run(Second, "late blocks", func() bool { return b.m.mem.late > least/2 || b.m.count.Refused > 0 })
			if name == "lowered" {
				require.Zero(t, b.m.count.Refused)
				b.lowered = b.m.mem.held
				b.m.SetMemory(least, least)
			}
			n.carries = nil
			n.run(Second, "all blocks", func() bool { return finished == 66 })
			require.Equal(t, 66, b.received)
			require.Zero(t, b.m.mem.held)
			require.LessOrEqual(t, b.m.mem.spare, least/8)
		})
	}
}

// Many senders at once do not overrun a queue of 64 KB before the receiver.
func TestIncast(t *testing.T) {
	n := newNetwork(t, 7)
	n.rate, n.buffer, n.jitter = 125e6, 64<<10, Microsecond
	sink := n.start(nil)
	var senders []*node
	for range 7 {
		senders = append(senders, n.start(nil))
	}
	total, resent := uint64(0), uint64(0)
	for round := range uint32(20) {
		finished := 0
		start := n.now
		for _, s := range senders {
			s.sendTo(sink, 0, block(round, 64<<10), func(err error) { require.NoError(t, err); finished++ })
		}
		n.run(Second, "the round", func() bool { return finished == 7 })
		if d := n.now - start; round > 0 {
			require.Less(t, d, 6*Millisecond, "round %d; the wire needs 3.9 ms", round)
		}
		n.pass(Millisecond)
	}
	for _, s := range senders {
		total += s.m.count.PayloadOut / 1440
		resent += s.m.count.Resent
	}
	t.Logf("%d packets, %d sent again, %d dropped", total, resent, n.dropped)
	require.LessOrEqual(t, resent*100, total, "at most 1 %% is sent twice")
}

// A short urgent block does not wait for a long one of low priority.
func TestPriority(t *testing.T) {
	n := newNetwork(t, 8)
	n.rate, n.buffer = 125e6, 1<<20
	a, b := n.start(nil), n.start(nil)
	long, short := false, 0
	a.sendTo(b, 0, block(0, 4<<20), func(err error) { require.NoError(t, err); long = true })
	n.pass(5 * Millisecond)
	for i := range uint32(10) {
		start := n.now
		a.sendTo(b, 7, block(i, 1000), func(err error) { require.NoError(t, err); short++ })
		n.run(Second, "the short block", func() bool { return short == int(i)+1 })
		require.Less(t, n.now-start, 2*Millisecond)
		require.False(t, long)
	}
	n.run(Second, "the long block", func() bool { return long })
}

func TestSealed(t *testing.T) {
	n := newNetwork(t, 9)
	n.loss, n.dup, n.jitter = 0.02, 0.2, 100*Microsecond
	encrypt := func(c *Config) { c.Seal = true }
	n.start(encrypt)
	n.start(encrypt)
	tr := n.traffic(200, 100000)
	n.run(100*Second, "all blocks", func() bool { return tr.finished == tr.blocks })
	a := n.nodes[0].m
	require.Positive(t, a.count.Replayed)
	require.Zero(t, a.count.Malformed)
}
