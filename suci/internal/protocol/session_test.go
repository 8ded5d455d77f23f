package protocol

import (
	"errors"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/suci/internal/seal"
)

var errCanceled = errors.New("canceled")

// Both begin at once, through a network that loses, doubles and reorders: there is one
// session, and no block is lost or comes twice.
func TestSimultaneousOpen(t *testing.T) {
	seed := testkit.Seed(t)
	for i := range uint64(50) {
		n := newNetwork(t, seed+i)
		n.loss, n.dup, n.jitter = 0.2, 0.2, 5*Millisecond
		a, b := n.start(nil), n.start(nil)
		finished := 0
		done := func(err error) { require.NoError(t, err); finished++ }
		a.sendTo(b, 0, block(0, 3000), done)
		b.sendTo(a, 0, block(0, 3000), done)
		n.run(60*Second, "both blocks", func() bool { return finished == 2 })
		require.Equal(t, a.m.peers[1].nonce, b.m.peers[0].nonce)
	}
}

// A peer that is started anew, at any time, is another incarnation: each block to the old
// one is delivered or fails, later ones arrive in order, and nothing of the old session
// gets into the new one.
func TestRestartAtAnyTime(t *testing.T) {
	seed := testkit.Seed(t)
	for i := range uint64(30) {
		n := newNetwork(t, seed+i)
		n.loss, n.dup, n.jitter = 0.02, 0.1, Millisecond
		a, b := n.start(nil), n.start(nil)
		ended, sent := 0, uint32(0)
		send := func(count int) {
			for range count {
				a.sendTo(b, 0, block(sent, 20000), func(err error) {
					require.True(t, err == nil || errors.Is(err, ErrRestarted), "%v", err)
					ended++
				})
				sent++
			}
		}
		send(20)
		n.pass(Time(n.rng.Int64N(int64(30 * Millisecond))))
		delivered := b.got[stream{0, 0}]
		b.m = n.machine(1, b.addr, nil).m // the old one says nothing any more
		b.m.handler, b.unread = b, nil
		b.m.Add(0, a.addr)
		first := true
		b.onBlock = func(in *Incoming) {
			checkBlock(t, in)
			number := in.Data[3]
			if first {
				require.GreaterOrEqual(t, uint32(number), delivered, "again")
			} else {
				require.Equal(t, b.got[stream{0, 0}], uint32(number), "a gap")
			}
			first = false
			b.got[stream{0, 0}] = uint32(number) + 1
		}
		n.run(60*Second, "the end of the first blocks", func() bool { return ended == 20 })
		send(1) // may still be for the old one
		n.run(60*Second, "the end of one more", func() bool { return ended == 21 })
		send(5)
		n.run(60*Second, "the blocks after", func() bool { return ended == 26 })
		require.Equal(t, sent, b.got[stream{0, 0}])
	}
}

// A peer that says goodbye fails what waits for it at once.
func TestGoodbye(t *testing.T) {
	n, a, b := pair(t, nil)
	var failure error
	n.dark = true
	a.sendTo(b, 0, block(1, 9000), func(err error) { failure = err })
	n.pass(Microsecond)
	n.dark = false
	n.batch.Reset()
	b.m.Remove(n.now, b.m.Peer(0), n.batch)
	b.send(n.batch)
	n.run(Millisecond, "the failure", func() bool { return failure != nil })
	require.ErrorIs(t, failure, ErrGone)
}

// A peer of which nothing is heard is lost after the timeout, not before.
func TestLost(t *testing.T) {
	n, a, b := pair(t, func(c *Config) { c.Timeout = 10 * Second })
	n.dark = true
	var failure error
	a.sendTo(b, 0, block(1, 9000), func(err error) { failure = err })
	n.pass(9 * Second)
	require.NoError(t, failure)
	n.run(2*Second, "the failure", func() bool { return failure != nil })
	require.ErrorIs(t, failure, ErrLost)
	require.Equal(t, []Change{Up, Down}, withoutFlow(a.changes))
}

// So is a peer that has never answered, and the handler is told.
func TestLostBeforeTheSession(t *testing.T) {
	n := newNetwork(t, 3)
	a, b := n.start(nil), n.start(nil)
	n.dark = true
	var failure error
	a.sendTo(b, 0, block(1, 9000), func(err error) { failure = err })
	n.run(180*Second, "the failure", func() bool { return failure != nil })
	require.ErrorIs(t, failure, ErrLost)
	require.NotErrorIs(t, failure, ErrKey)
	require.Equal(t, []Change{Down}, withoutFlow(a.changes))
}

// A peer with another key is told from one that does not answer, and so is one that encrypts alone.
func TestLostByTheKey(t *testing.T) {
	for _, change := range []func(*Config){
		func(c *Config) { c.Key = seal.Key{9} },
		func(c *Config) { c.Seal = true },
	} {
		n := newNetwork(t, 3)
		a, b := n.start(nil), n.start(change)
		var failure error
		a.sendTo(b, 0, block(1, 9000), func(err error) { failure = err })
		n.run(180*Second, "the failure", func() bool { return failure != nil })
		require.ErrorIs(t, failure, ErrKey)
		require.ErrorIs(t, failure, ErrLost)
		require.Nil(t, b.m.peers[a.m.config.Self].session)
	}
}

// The time in which the machine does not run is no silence of its peers.
func TestNotLostByOwnSleep(t *testing.T) {
	n, a, b := pair(t, func(c *Config) { c.Timeout = 10 * Second })
	n.dark = true
	var failure error
	a.sendTo(b, 0, block(1, 9000), func(err error) { failure = err })
	n.pass(8 * Second)
	n.now += 100 * Second
	n.pass(Second)
	require.NoError(t, failure)
	n.run(2*Second, "the failure", func() bool { return failure != nil })
	require.ErrorIs(t, failure, ErrLost)
}

// A peer that was heard just after such a time was not heard later than now.
func TestHeardAfterOwnSleep(t *testing.T) {
	n, a, b := pair(t, func(c *Config) { c.Timeout = 10 * Second })
	n.dark = true
	a.sendTo(b, 0, block(1, 9000), nil)
	n.pass(Second)
	n.now += 100 * Second
	p := a.m.Peer(b.m.config.Self)
	p.contact.heard = n.now
	a.step()
	require.Equal(t, n.now, p.contact.heard)
}

func withoutFlow(changes []Change) (out []Change) {
	for _, c := range changes {
		if c == Up || c == Down {
			out = append(out, c)
		}
	}
	return out
}

// Blocks given up, before, while and after they are sent, are skipped; those around them
// arrive in order.
func TestGiveUp(t *testing.T) {
	seed := testkit.Seed(t)
	for i := range uint64(30) {
		n := newNetwork(t, seed+i)
		n.loss, n.dup, n.jitter = 0.05, 0.1, 200*Microsecond
		n.rate, n.buffer = 125e6, 1<<20
		a, b := n.start(nil), n.start(nil)
		got := map[byte]bool{}
		last := -1
		b.onBlock = func(in *Incoming) {
			require.NoError(t, in.Err)
			checkBlock(t, in)
			require.Greater(t, int(in.Data[3]), last)
			last = int(in.Data[3])
			got[in.Data[3]] = true
		}
		ended, canceled := 0, map[int]bool{}
		var blocks []*Outgoing
		for k := range 30 {
			o := &Outgoing{Data: block(uint32(k), 4+n.rng.IntN(40000)), Done: func(_ *Outgoing, err error) {
				if err != nil {
					require.True(t, errors.Is(err, errCanceled) || errors.Is(err, ErrDeadline))
					canceled[k] = true
				}
				ended++
			}}
			if n.rng.IntN(5) == 0 {
				o.Deadline = n.now + Time(n.rng.Int64N(int64(20*Millisecond)))
			}
			require.NoError(t, a.m.Send(n.now, a.m.Peer(1), o))
			blocks = append(blocks, o)
		}
		for range 8 {
			n.pass(Time(n.rng.Int64N(int64(2 * Millisecond))))
			a.m.Cancel(n.now, a.m.Peer(1), blocks[n.rng.IntN(len(blocks))], errCanceled)
		}
		n.run(60*Second, "the end of all", func() bool { return ended == 30 })
		n.pass(2 * Second)
		for k := range 30 {
			require.True(t, got[byte(k)] || canceled[k], "block %d is lost", k)
		}
		if len(a.m.active)+len(b.m.active) > 0 {
			n.dump()
		}
		require.Empty(t, a.m.active)
		require.Empty(t, b.m.active)
		require.Zero(t, b.m.mem.held)
	}
}

// The receiver does not skip a block when the packet that would make it do so is the second
// copy of one that has arrived. The sender goes on with the next packet.
func TestGiveUpOfAPacketThatArrived(t *testing.T) {
	const packets, sent = 9, 4
	n := newNetwork(t, 15)
	a, b := n.start(nil), n.start(nil)
	connected := false
	a.sendTo(b, 0, block(0, 4), func(error) { connected = true })
	n.run(Second, "a session", func() bool { return connected })
	p := a.m.Peer(1)
	s := &sender{peer: p, limit: 2 * packets}
	s.queue(&Outgoing{Data: make([]byte, packets*p.payload), Done: func(*Outgoing, error) {}})
	for seq := range uint64(sent) {
		s.send(0, seq, s.block(seq))
	}
	s.giveUp(s.block(0), errCanceled)
	s.send(0, sent-1, s.block(0))
	require.Zero(t, s.fresh())
	require.True(t, s.advance(sent))
	require.Equal(t, packets-sent, s.fresh())
}

// An Open of a session that has ended does not come back to life.
func TestReplayedOpen(t *testing.T) {
	n := newNetwork(t, 14)
	a, b := n.start(nil), n.start(nil)
	var opens [][]byte
	n.observe = func(_, to *node, p []byte) {
		if to == b && p[8]&15 == 7 {
			opens = append(opens, append([]byte(nil), p...))
		}
	}
	done := false
	a.sendTo(b, 0, block(0, 10), func(error) { done = true })
	n.run(Second, "a session", func() bool { return done })
	require.NotEmpty(t, opens)
	b.m.peers[0].end(ErrGone)
	b.m.Datagram(n.now, n.now, a.addr, opens[0])
	require.Nil(t, b.m.peers[0].session)
	require.Equal(t, uint64(1), b.m.count.Stale)
	b.m.Datagram(n.now, n.now, netip.MustParseAddrPort("192.0.2.7:7"), opens[0])
	require.Nil(t, b.m.peers[0].session)
}

// A lane of low priority is not starved by higher ones that always have work.
func TestAgeing(t *testing.T) {
	n := newNetwork(t, 15)
	n.rate, n.buffer = 12.5e6, 1<<20
	a, b := n.start(nil), n.start(nil)
	b.onBlock = func(*Incoming) {}
	low := false
	var again func(error)
	again = func(error) {
		if !low {
			a.m.Send(n.now, a.m.Peer(1),
				&Outgoing{Data: block(0, 50000), Priority: 7, Done: func(_ *Outgoing, err error) { again(err) }})
		}
	}
	for range 4 {
		again(nil)
	}
	a.sendTo(b, 0, block(0, 100000), func(err error) { require.NoError(t, err); low = true })
	n.run(5*Second, "the block of low priority", func() bool { return low })
}
