package protocol

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/suci/internal/wire"
)

// forget removes another node from the table of x, if it is there, and adds it again.
func (x *node) forget(other *node) {
	id := other.m.config.Self
	if p := x.m.Peer(id); p != nil {
		x.batch.Reset()
		x.m.Remove(x.now, p, x.batch)
		x.send(x.batch)
	}
	x.m.Add(id, other.addr)
}

// Both peers remove and add one another now and then, as a program does with a path that is silent.
// Greetings and goodbyes are late or lost, so the peers disagree about their session. After the last
// removal a block arrives in either direction, and no session ends.
func TestRemovedPeersAgreeAgain(t *testing.T) {
	seed := testkit.Seed(t)
	longest := Time(0)
	for i := range uint64(300) {
		n := newNetwork(t, seed+i)
		n.loss, n.dup, n.jitter, n.delay = 0.003, 0.01, 60*Millisecond, 2*Millisecond
		a, b := n.start(nil), n.start(nil)
		a.onBlock, b.onBlock = func(*Incoming) {}, func(*Incoming) {}
		for range 6 {
			a.sendTo(b, 0, block(0, 100), nil)
			b.sendTo(a, 0, block(0, 100), nil)
			n.pass(Time(n.rng.Int64N(int64(150 * Millisecond))))
			a.forget(b)
			n.pass(Time(n.rng.Int64N(int64(20 * Millisecond))))
			if n.rng.IntN(2) == 0 {
				b.forget(a)
			}
		}
		start := n.now
		here, there := a, b
		if n.rng.IntN(2) == 0 {
			here, there = b, a
		}
		await := func(x, to *node) {
			for arrived := false; !arrived; {
				ended := false
				x.sendTo(to, 0, block(1, 100), func(err error) {
					require.True(t, err == nil || errors.Is(err, ErrRestarted) || errors.Is(err, ErrGone),
						"seed %d: %v", seed+i, err)
					ended, arrived = true, err == nil
				})
				n.run(20*Second, "a block's end", func() bool { return ended })
			}
		}
		await(here, there)
		longest = max(longest, n.now-start)
		await(there, here)
		n.pass(20 * Second) // what was under way has come, cookies are too old
		a.changes, b.changes = nil, nil
		await(here, there)
		await(there, here)
		require.Empty(t, withoutFlow(append(a.changes, b.changes...)), "seed %d", seed+i)
		pa, pb := a.m.peers[1], b.m.peers[0]
		require.Equal(t, pa.name(), pb.name(), "seed %d", seed+i)
		require.Nil(t, pa.greeting)
		require.Nil(t, pb.greeting)
	}
	t.Logf("a block came after %d ms at the latest", longest/Millisecond)
}

// Two peers that have different sessions find that out, whichever of them sends. So they do if the
// sessions differ only in the nonce of the second peer.
func TestSessionsThatDiffer(t *testing.T) {
	for _, sameNonce := range []bool{false, true} {
		for _, fromFirst := range []bool{false, true} {
			n, a, b := pair(t, nil)
			b.m.peers[0].end(ErrGone)
			h := a.m.about(1)
			if h.Nonce[0] = 1; sameNonce {
				h.Nonce = a.m.peers[1].nonce
			}
			h.Expected, h.Cookie = b.m.config.Incarnation, b.m.cookies.Make(int64(n.now), a.addr, b.m.bound(&h))
			n.batch.Reset()
			a.m.greetingPacket(n.batch, b.addr, wire.Open, &h)
			a.send(n.batch)
			n.run(Second, "another session", func() bool { return b.m.peers[0].session != nil })
			require.NotEqual(t, a.m.peers[1].name(), b.m.peers[0].name())
			n.pass(Second)

			from, to := a, b
			if !fromFirst {
				from, to = b, a
			}
			var failure error
			ended := false
			from.sendTo(to, 0, block(1, 100), func(err error) { failure, ended = err, true })
			n.run(Second, "the end of a block to another session", func() bool { return ended })
			require.ErrorIs(t, failure, ErrRestarted)
			to.onBlock = func(*Incoming) {}
			ended = false
			from.sendTo(to, 0, block(1, 100), func(err error) { require.NoError(t, err); ended = true })
			n.run(Second, "a block", func() bool { return ended })
			require.Equal(t, a.m.peers[1].name(), b.m.peers[0].name())
		}
	}
}

// wild is traffic between nodes that remove one another.
type wild struct {
	*network
	sent          uint32
	ended, failed int
	arrived       map[uint32]bool
}

// listen checks that blocks come once and in order. Numbers are of the whole network, and have gaps.
func (w *wild) listen(x *node) {
	x.onBlock = func(in *Incoming) {
		require.NoError(w.t, in.Err)
		checkBlock(w.t, in)
		s, number := stream{in.From, in.Priority}, binary.BigEndian.Uint32(in.Data)
		require.GreaterOrEqual(w.t, number, x.got[s], "twice or out of order")
		x.got[s], w.arrived[number] = number+1, true
	}
}

// send sends a block that must arrive or fail.
func (w *wild) send(from, to *node) {
	number := w.sent
	w.sent++
	from.sendTo(to, uint8(w.rng.IntN(wire.Lanes)), block(number, 4+w.rng.IntN(1<<w.rng.IntN(17))), func(err error) {
		require.True(w.t, err == nil && w.arrived[number] || errors.Is(err, ErrRestarted) ||
			errors.Is(err, ErrGone), "%v", err)
		if w.ended++; err != nil {
			w.failed++
		}
	})
}

// settle waits for the end of all blocks.
func (w *wild) settle() {
	w.run(60*Second, "the end of all blocks", func() bool { return w.ended == int(w.sent) })
	w.pass(10 * Second)
}

// Peers are removed and added again while blocks of any length are in flight. Each block is delivered
// once and in order, or its sender gets an error. Afterwards blocks arrive, and no memory is held.
func TestPeersComeAndGo(t *testing.T) {
	seed := testkit.Seed(t)
	for i := range uint64(10) {
		w := &wild{network: newNetwork(t, seed+i), arrived: map[uint32]bool{}}
		w.loss, w.dup, w.delay, w.jitter = 0.01, 0.05, Millisecond, 10*Millisecond
		encrypt := w.rng.IntN(2) == 0
		for range 4 {
			w.listen(w.start(func(c *Config) { c.Seal = encrypt }))
		}
		two := func() (from, to *node) {
			k := w.rng.Perm(len(w.nodes))
			return w.nodes[k[0]], w.nodes[k[1]]
		}
		for range 60 {
			for range w.rng.IntN(20) {
				w.send(two())
			}
			w.pass(Time(w.rng.Int64N(int64(30 * Millisecond))))
			if from, to := two(); w.rng.IntN(4) == 0 {
				from.m.Add(to.m.config.Self, to.addr)
			} else {
				from.forget(to)
			}
		}
		w.settle()
		require.Positive(t, w.failed)
		before := w.failed
		for range 20 {
			w.send(two())
		}
		w.settle()
		for _, x := range w.nodes {
			require.Empty(t, x.m.active)
			require.Zero(t, x.m.mem.held)
			require.Zero(t, x.m.count.Malformed)
		}
		t.Logf("%d blocks, %d failed before and %d after", w.sent, before, w.failed-before)
	}
}
