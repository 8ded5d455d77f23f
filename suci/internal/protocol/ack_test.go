package protocol

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// An acknowledgement costs either end a system call: a long block takes few of them, and no
// probe, once the window is large.
func TestFewAcknowledgements(t *testing.T) {
	const blocks, length = 20, 1 << 20
	n := newNetwork(t, 41)
	a, b := n.start(nil), n.start(nil)
	finished := 0
	send := func(i uint32) {
		a.sendTo(b, 2, block(i, length), func(err error) { require.NoError(t, err); finished++ })
		n.run(Second, "a block", func() bool { return finished == int(i)+1 })
	}
	for i := range uint32(blocks / 2) {
		send(i)
	}
	acks := b.m.count.Acks
	for i := range uint32(blocks / 2) {
		send(blocks/2 + i)
	}
	per := int(b.m.count.Acks-acks) / (blocks / 2)
	t.Logf("%d acknowledgements for each block of %d packets", per, (length+1439)/1440)
	require.LessOrEqual(t, per, 16)
	require.Zero(t, a.m.count.Probes)
}

// A process that could not run for a while finds acknowledgements that are older than the time
// of a probe. They are news all the same: it does not probe.
func TestNoProbeAfterAnAcknowledgementReadLate(t *testing.T) {
	n := newNetwork(t, 42)
	a, b := n.start(nil), n.start(nil)
	finished := 0
	for i := range uint32(20) { // the window and the round trip become known
		a.sendTo(b, 2, block(i, 100<<10), func(err error) { require.NoError(t, err); finished++ })
		n.run(Second, "a block", func() bool { return finished == int(i)+1 })
	}
	a.sendTo(b, 2, block(20, 1<<20), nil)
	a.step()
	for n.queue[0].to == b {
		n.now = n.queue[0].at
		d := n.queue[0]
		n.queue = n.queue[1:]
		b.m.Datagram(n.now, n.now, d.from.addr, d.b)
		b.step()
	}
	ack := n.queue[0]
	require.Equal(t, a, ack.to)
	n.now = ack.at + 20*Millisecond
	probes := a.m.count.Probes
	a.m.Datagram(n.now, ack.at, b.addr, ack.b)
	a.batch.Reset()
	a.m.Transmit(n.now, a.batch)
	require.NotZero(t, a.m.peers[1].underWay)
	require.Equal(t, probes, a.m.count.Probes)
}

// TestAcknowledged: at any time the bytes acknowledged are those of the blocks that are done at least, and
// at most those of all blocks: no packet counts for more than it carries.
func TestAcknowledged(t *testing.T) {
	for _, loss := range []float64{0, 0.1} {
		n := newNetwork(t, 43)
		a, b := n.start(nil), n.start(nil)
		n.loss = loss
		all, done, blocks := 0, 0, 0
		for i := range uint32(200) {
			data := block(i, 100+int(i%3)*2000)
			all += len(data)
			a.sendTo(b, 2, data, func(err error) {
				require.NoError(t, err)
				done, blocks = done+len(data), blocks+1
				require.GreaterOrEqual(t, int(a.m.Acknowledged()), done)
				require.LessOrEqual(t, int(a.m.Acknowledged()), all)
			})
		}
		n.run(20*Second, "delivery", func() bool { return blocks == 200 })
		require.EqualValues(t, all, a.m.Acknowledged())
	}
}

// Where peers answer one another, acknowledgements travel with the answers, and nobody asks for one.
func TestAnswersCarryAcknowledgements(t *testing.T) {
	n := newNetwork(t, 44)
	a, b := n.start(nil), n.start(nil)
	finished := 0
	for i := range uint32(100) {
		from, to := a, b
		if i%2 == 1 {
			from, to = b, a
		}
		before := to.m.count.BlocksIn
		from.sendTo(to, 2, block(i/2, 100), func(err error) { require.NoError(t, err); finished++ })
		n.run(Second, "a block", func() bool { return to.m.count.BlocksIn > before })
	}
	n.run(Second, "acknowledgements", func() bool { return finished == 100 })
	require.LessOrEqual(t, int(a.m.count.Acks+b.m.count.Acks), 2, "of the last blocks")
}
