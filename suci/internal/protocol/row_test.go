package protocol

import (
	"bytes"
	"net/netip"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/suci/internal/wire"
)

// Packets that come in pieces have the same effect as packets that come one by one, whatever was
// lost, doubled, changed or came in another order.
func TestRowsAreNothingButFaster(t *testing.T) {
	rng := testkit.Rand(t)
	const granted = 120 // packets; those beyond are refused
	blocks, landed := 0, 0
	for range 30 {
		var ends [3]*node
		var nets [3]*network
		var tag uint64
		seed := rng.Uint64()
		for i := range ends {
			nets[i] = newNetwork(t, seed)
			a, b := nets[i].start(nil), nets[i].start(nil)
			open := false
			a.sendTo(b, 0, block(0, 10), func(error) { open = true })
			nets[i].run(Second, "a session", func() bool { return open })
			b.onBlock, ends[i], tag = func(*Incoming) {}, b, a.m.peers[1].session.SendTag
			b.m.peers[0].lanes[2].granted = granted
		}
		packets := blocksAsPackets(tag, []int{1, 30, 2, 3, 60, 1, 40})
		for i := range 1 + rng.IntN(12) {
			at := rng.IntN(len(packets))
			switch i % 4 {
			case 0:
				packets = slices.Delete(packets, at, at+1)
			case 1:
				packets = slices.Insert(packets, rng.IntN(len(packets)), packets[at])
			case 2:
				p := slices.Clone(packets[at])
				p[8+rng.IntN(24)] ^= 1 << rng.IntN(8)
				packets[at] = p
			case 3:
				to := rng.IntN(len(packets))
				packets[at], packets[to] = packets[to], packets[at]
			}
		}
		for len(packets) > 0 {
			n := 1 // a piece: packets of one length, and a shorter one
			for n < len(packets) && n < 44 && len(packets[n-1]) == len(packets[0]) &&
				len(packets[n]) <= len(packets[0]) && rng.IntN(30) > 0 {
				n++
			}
			landed += deliver(nets, ends, packets[:n])
			packets = packets[n:]
			for _, e := range ends[1:] {
				sameLane(t, ends[0].m, e.m)
			}
		}
		for _, e := range ends[1:] {
			require.Equal(t, ends[0].m.count, e.m.count)
			require.Equal(t, len(ends[0].unread), len(e.unread))
			for i, in := range ends[0].unread {
				require.True(t, bytes.Equal(in.Data, e.unread[i].Data))
			}
		}
		blocks += len(ends[0].unread)
	}
	require.NotZero(t, blocks)
	require.NotZero(t, landed)
}

// sameLane requires that two machines think the same of lane 2 of peer 0.
func sameLane(t *testing.T, a, b *Machine) {
	one, two := &a.peers[0].lanes[2], &b.peers[0].lanes[2]
	require.Equal(t, one.in == nil, two.in == nil)
	if one.in == nil {
		return
	}
	x, y := one.in, two.in
	require.Equal(t, []uint64{x.next, x.high, x.limit, x.demand, x.deliver, uint64(x.count), uint64(x.unacked)},
		[]uint64{y.next, y.high, y.limit, y.demand, y.deliver, uint64(y.count), uint64(y.unacked)})
	require.Equal(t, x.bits, y.bits)
	require.Equal(t, x.ackDue, y.ackDue)
	require.Equal(t, a.grants.dirty, b.grants.dirty)
}

// deliver gives the same packets to one machine one by one, to another one in one piece, and to the
// third one where it wants them. It returns how many have come there.
func deliver(nets [3]*network, ends [3]*node, packets [][]byte) (landed int) {
	from := netip.MustParseAddrPort("10.0.0.0:9")
	for i, e := range ends {
		n := nets[i]
		n.now += 3 * Microsecond
		switch i {
		case 0:
			for _, p := range packets {
				e.m.Datagram(n.now, n.now, from, slices.Clone(p))
			}
		case 1:
			e.m.Train(n.now, n.now, from, slices.Concat(packets...), len(packets[0]))
		case 2:
			landed = deliverThere(e.m, n.now, packets)
			if landed < len(packets) {
				e.m.Train(n.now, n.now, from, slices.Concat(packets[landed:]...), len(packets[0]))
			}
		}
	}
	return landed
}

// deliverThere puts the packets to the machine's landing, as a socket does that does not know what
// comes.
func deliverThere(m *Machine, now Time, packets [][]byte) (landed int) {
	to := m.Landing()
	if to == nil {
		return 0
	}
	n := copy(to, slices.Concat(packets...))
	return m.Row(now, now, to[:n], len(packets[0])) / len(packets[0])
}

// blocksAsPackets returns the packets of blocks of so many packets.
func blocksAsPackets(tag uint64, totals []int) (packets [][]byte) {
	const payload = 1440
	seq := uint64(0)
	for k, total := range totals {
		data := block(uint32(k), total*payload-k)
		for i := range total {
			h := wire.DataHeader{Short: uint16(k), Index: uint32(i), Seq: seq, Total: uint32(total)}
			flags := uint8(wire.FlagMore)
			if i%16 == 15 {
				flags |= wire.FlagAsk
			}
			p := h.Append(wire.Prefix{Tag: tag, Kind: wire.Data, Lane: 2, Flags: flags}.Append(nil))
			packets = append(packets, append(p, data[i*payload:min((i+1)*payload, len(data))]...))
			seq++
		}
	}
	return packets
}
