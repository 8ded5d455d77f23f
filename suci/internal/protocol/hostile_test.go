package protocol

import (
	"encoding/binary"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/suci/internal/seal"
	"github.com/gopvas/gopvas/suci/internal/wire"
)

// pair returns two nodes with a session between them.
func pair(t testing.TB, change func(*Config)) (n *network, a, b *node) {
	n = newNetwork(t, 11)
	a, b = n.start(change), n.start(change)
	done := false
	a.sendTo(b, 0, block(0, 10), func(err error) { require.NoError(t, err); done = true })
	n.run(Second, "a session", func() bool { return done })
	return n, a, b
}

// Random and mutated packets, also with the right tag, neither crash a machine nor make
// it grow, and traffic goes on.
func TestHostilePackets(t *testing.T) {
	rng := testkit.Rand(t)
	for _, sealed := range []bool{false, true} {
		n, a, b := pair(t, func(c *Config) { c.Seal = sealed })
		var seen [][]byte
		n.observe = func(_, to *node, p []byte) {
			if to == b && len(seen) < 200 {
				seen = append(seen, append([]byte(nil), p...))
			}
		}
		finished := 0
		for i := range uint32(50) {
			a.sendTo(b, uint8(i%8), block(i/8, 4+rng.IntN(20000)),
				func(err error) { require.NoError(t, err); finished++ })
		}
		b.onBlock = func(in *Incoming) {}
		n.run(10*Second, "blocks to copy", func() bool { return len(seen) == 200 || finished == 50 })
		peers := len(b.m.peers)
		for range 20000 {
			p := append([]byte(nil), seen[rng.IntN(len(seen))]...)
			switch rng.IntN(3) {
			case 0: // foreign: the tag is wrong
				binary.BigEndian.PutUint64(p, rng.Uint64())
			case 1: // a flipped bit somewhere behind the tag
				if sealed || p[8]&15 == byte(wire.Data) {
					i := 8 + rng.IntN(min(len(p), 32)-8)
					p[i] ^= 1 << rng.IntN(8)
				}
			case 2: // cut off
				p = p[:rng.IntN(len(p))]
			}
			if sealed || p == nil || len(p) < 8 || binary.BigEndian.Uint64(p) != b.m.peers[0].session.ReceiveTag {
				b.m.Datagram(n.now, n.now, netip.MustParseAddrPort("192.0.2.1:1"), p)
			}
		}
		b.step()
		c := b.m.Counters()
		require.Positive(t, c.Foreign)
		require.Positive(t, c.Malformed)
		if sealed {
			require.Positive(t, c.Replayed)
		}
		require.Len(t, b.m.peers, peers)
		n.run(10*Second, "all blocks", func() bool { return finished == 50 })
	}
}

// Whatever comes with the right tag, the machine neither crashes nor holds more than its
// memory: a peer that is broken can spoil only its own session.
func FuzzMachine(f *testing.F) {
	f.Add([]byte{0x11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0})
	f.Add([]byte{0x12, 0x80, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 9})
	f.Add([]byte{0x13, 1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 9})
	f.Add([]byte{0x14, 0})
	f.Fuzz(func(t *testing.T, stream []byte) {
		// up to some hundred packets: the fuzzer goes on to longer and longer ones
		stream = stream[:min(len(stream), 1000)]
		n, a, b := pair(t, func(c *Config) { c.PeerMemory, c.Memory = 256<<10, 256<<10 })
		b.onBlock = func(*Incoming) {}
		failed := 0
		for i := range uint32(3) {
			a.m.Send(n.now, a.m.Peer(1), &Outgoing{Data: block(i, 9000), Done: func(*Outgoing, error) { failed++ }})
			b.m.Send(n.now, b.m.Peer(0), &Outgoing{Data: block(i, 9000), Done: func(*Outgoing, error) { failed++ }})
		}
		b.step()
		for len(stream) > 0 && b.m.peers[0].session != nil {
			length := min(len(stream), 2+int(stream[0])%60)
			p := binary.BigEndian.AppendUint64(nil, b.m.peers[0].session.ReceiveTag)
			p = append(p, stream[:length]...)
			stream = stream[length:]
			if len(p) > 8 && p[8] == 1<<4|byte(wire.Data) && len(p) >= wire.DataHeaderSize {
				// as long as its header says
				total, index, short := binary.BigEndian.Uint32(p[24:]), binary.BigEndian.Uint32(p[12:]),
					int(binary.BigEndian.Uint16(p[10:]))
				size := 1440
				if index == total-1 {
					size = max(0, 1440-short)
				}
				p = append(p[:wire.DataHeaderSize], make([]byte, size)...)
			}
			n.now += Microsecond
			b.m.Datagram(n.now, n.now, a.addr, p)
			b.step()
		}
	})
}

// A greeting without the key, of another job, for another peer or replayed leaves nothing
// behind, and no answer is longer than the question.
func TestGreetingsOfStrangers(t *testing.T) {
	n := newNetwork(t, 12)
	b := n.start(nil)
	stranger := netip.MustParseAddrPort("192.0.2.1:1")
	say := func(kind wire.Kind, key seal.Key, h wire.GreetingHeader) []wire.Train {
		g := h.Append(nil, kind)
		proof := key.Proof(g)
		g = append(g, proof[:]...)
		b.m.Datagram(n.now, n.now, stranger, g)
		n.batch.Reset()
		b.m.Transmit(n.now, n.batch)
		return n.batch.Trains[:min(1, len(n.batch.Trains))] // behind it a new session asks for the size of packets
	}
	hello := wire.GreetingHeader{From: 9, To: 0, Incarnation: 5, Packet: 1472, Window: 4}
	answers := say(wire.Hello, seal.Key{9}, hello)
	require.Len(t, answers, 1, "another key")
	require.Len(t, answers[0].Bytes, wire.GreetingSize)
	require.Equal(t, make([]byte, wire.ProofSize), answers[0].Bytes[wire.GreetingSize-wire.ProofSize:])
	other := hello
	other.To = 3
	require.Empty(t, say(wire.Hello, testKey, other), "for somebody else")
	require.Equal(t, uint64(2), b.m.count.Foreign)

	answers = say(wire.Hello, testKey, hello)
	require.Len(t, answers, 1)
	require.Less(t, len(answers[0].Bytes), 1472)
	require.Equal(t, stranger, answers[0].To)
	require.Empty(t, b.m.peers, "a Hello leaves nothing")

	var cookie wire.GreetingHeader
	_, _, err := wire.ParseGreeting(answers[0].Bytes, &cookie)
	require.NoError(t, err)
	open := hello
	open.Expected = cookie.Incarnation
	require.Empty(t, say(wire.Open, testKey, open), "no cookie")
	open.Cookie = cookie.Cookie
	elsewhere := stranger
	stranger = netip.MustParseAddrPort("192.0.2.2:1")
	require.Empty(t, say(wire.Open, testKey, open), "the cookie of another address")
	stranger = elsewhere
	open.Nonce[0]++
	require.Empty(t, say(wire.Open, testKey, open), "the cookie of another greeting")
	open.Nonce[0]--
	now := n.now
	n.now += 2 * seal.CookieLife
	require.Empty(t, say(wire.Open, testKey, open), "an old cookie")
	require.Equal(t, uint64(4), b.m.count.Stale)
	require.Empty(t, b.m.peers)
	n.now = now
	require.Len(t, say(wire.Open, testKey, open), 1)
	require.NotNil(t, b.m.peers[9].session)

	// The session ends; the same Open again is a replay.
	b.m.Remove(n.now, b.m.Peer(9), NewBatch(1472))
	require.Empty(t, say(wire.Open, testKey, open), "a replay")
	require.Empty(t, b.m.peers)
	b.m.Add(9, stranger)
	require.Empty(t, say(wire.Open, testKey, open), "a replay")
	require.Equal(t, uint64(6), b.m.count.Stale)
	require.Nil(t, b.m.peers[9].session)
}

// A Remove makes place for others, MaxPeers holds.
func TestMaxPeers(t *testing.T) {
	n := newNetwork(t, 13)
	full := n.machine(0, netip.MustParseAddrPort("10.9.9.9:9"), func(c *Config) { c.MaxPeers = 2 })
	n.nodes = append(n.nodes, full)
	lost := 0
	for i := range ID(4) {
		x := n.machine(i+1, netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i) + 1}), 9),
			func(c *Config) { c.Timeout = Second })
		n.nodes = append(n.nodes, x)
		x.m.Add(0, full.addr)
		x.sendTo(full, 0, block(0, 100), func(err error) {
			if err != nil {
				require.ErrorIs(t, err, ErrLost)
				lost++
			}
		})
	}
	n.run(10*Second, "an end", func() bool { return lost == 2 && full.received == 2 })
	require.Len(t, full.m.peers, 2)
}
