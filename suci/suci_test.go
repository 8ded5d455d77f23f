package suci

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var loopback = netip.MustParseAddrPort("127.0.0.1:0")

// group opens endpoints that know each other.
func group(t testing.TB, n int, change func(*Options)) []*Endpoint {
	key := NewKey()
	var es []*Endpoint
	for i := range n {
		o := Options{Self: ID(i), Key: key, Listen: loopback}
		if change != nil {
			change(&o)
		}
		e, err := Open(o)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, e.Close()) })
		es = append(es, e)
	}
	for _, e := range es {
		for _, other := range es {
			if other != e {
				_, err := e.Destination(other.Self(), other.Addr())
				require.NoError(t, err)
			}
		}
	}
	return es
}

func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*31 + i>>8)
	}
	return b
}

func TestWriteRead(t *testing.T) {
	for _, encrypt := range []bool{false, true} {
		t.Run(fmt.Sprintf("encrypt=%v", encrypt), func(t *testing.T) {
			es := group(t, 2, func(o *Options) { o.Encrypt = encrypt })
			ctx := t.Context()
			for _, n := range []int{0, 1, 8, 1440, 1441, 16 << 10, 17 << 10, 1 << 20, 5 << 20} {
				want := pattern(n)
				done := make(chan error, 1)
				go func() { done <- es[0].Peer(1).Write(ctx, Block{Data: want, Priority: 3}) }()
				size, from, err := es[1].Ready(ctx)
				require.NoError(t, err)
				require.Equal(t, n, size)
				require.Equal(t, ID(0), from)
				r, err := es[1].Read(ctx)
				require.NoError(t, err)
				require.True(t, bytes.Equal(want, r.Data))
				require.Equal(t, uint8(3), r.Priority)
				r.Free()
				require.NoError(t, <-done)
			}
			require.NoError(t, es[0].Flush(ctx))
			require.Zero(t, es[0].Peer(1).QueueLength())
		})
	}
}

func TestIPv6(t *testing.T) {
	if _, err := Open(Options{Key: NewKey(), Listen: netip.MustParseAddrPort("[::1]:0")}); err != nil {
		t.Skip(err)
	}
	es := group(t, 2, func(o *Options) { o.Listen = netip.MustParseAddrPort("[::1]:0") })
	require.NoError(t, es[0].Peer(1).Write(t.Context(), Block{Data: pattern(100000)}))
	r, err := es[1].Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, pattern(100000), r.Data)
}

// All write to all at once from several goroutines; every block comes once, in order.
func TestAllToAll(t *testing.T) {
	const nodes, blocks = 4, 200
	es := group(t, nodes, nil)
	var wg sync.WaitGroup
	for i, e := range es {
		for j := range es {
			if i == j {
				continue
			}
			wg.Go(func() {
				for k := range blocks {
					data := append([]byte{byte(k)}, pattern(k*k)...)
					if err := e.Peer(ID(j)).Write(t.Context(), Block{Data: data}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Go(func() {
			next := map[ID]int{}
			for range (nodes - 1) * blocks {
				r, err := e.Read(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				k := next[r.From]
				if r.Data[0] != byte(k) || !bytes.Equal(r.Data[1:], pattern(k*k)) {
					t.Errorf("block %d from %d is wrong", k, r.From)
				}
				next[r.From]++
				r.Free()
			}
		})
	}
	wg.Wait()
}

func TestExpect(t *testing.T) {
	es := group(t, 2, func(o *Options) { o.PeerMemory, o.Memory = 256<<10, 256<<10 })
	buf := make([]byte, 3<<20)
	require.NoError(t, es[1].Expect(0, 77, buf))
	require.Error(t, es[1].Expect(0, 77, buf), "in use")
	go func() { _ = es[0].Peer(1).Write(context.Background(), Block{Data: pattern(len(buf)), Place: 77}) }()
	r, err := es[1].Read(t.Context())
	require.NoError(t, err)
	require.NoError(t, r.Err)
	require.Equal(t, uint32(77), r.Place)
	require.Same(t, &buf[0], &r.Data[0])
	require.True(t, bytes.Equal(pattern(len(buf)), buf))
	r.Free()
	require.ErrorIs(t, es[0].Peer(1).Write(t.Context(), Block{Data: pattern(1 << 20)}), ErrTooLong)

	require.NoError(t, es[1].Expect(0, 78, buf[:10]))
	require.NoError(t, es[0].Peer(1).Write(t.Context(), Block{Data: pattern(20), Place: 78}))
	r, err = es[1].Read(t.Context())
	require.NoError(t, err)
	require.ErrorIs(t, r.Err, ErrPlace)
	require.NoError(t, es[1].Expect(0, 79, buf))
	require.True(t, es[1].Forget(0, 79))
}

func TestDeadlineAndCancel(t *testing.T) {
	es := group(t, 2, nil)
	nobody, err := es[0].Destination(9, netip.MustParseAddrPort("127.0.0.1:1"))
	require.NoError(t, err)
	err = nobody.Write(t.Context(), Block{Data: pattern(20 << 10), Deadline: time.Now().Add(20 * time.Millisecond)})
	require.ErrorIs(t, err, ErrDeadline)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	require.ErrorIs(t, nobody.Write(ctx, Block{Data: pattern(20 << 10)}), context.Canceled)
	require.Zero(t, nobody.QueueLength())
	_, err = es[0].Read(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

func TestBackPressure(t *testing.T) {
	es := group(t, 2, func(o *Options) { o.QueueLimit = 10000 })
	nobody, err := es[0].Destination(9, netip.MustParseAddrPort("127.0.0.1:1"))
	require.NoError(t, err)
	require.NoError(t, nobody.TryWrite(Block{Data: pattern(9000)}))
	require.ErrorIs(t, nobody.TryWrite(Block{Data: pattern(9000)}), ErrWouldBlock)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	require.ErrorIs(t, nobody.Wait(ctx, 9000), context.DeadlineExceeded)
	require.NoError(t, nobody.Wait(t.Context(), 1000))
	es[0].Remove(nobody)
	require.ErrorIs(t, nobody.TryWrite(Block{}), ErrGone)
}

// Wait waits for the receiver, too: until its memory grows, or somebody reads there.
func TestWaitForReceiver(t *testing.T) {
	es := group(t, 2, func(o *Options) { o.PeerMemory, o.Memory = leastMemory, leastMemory })
	p, there := es[0].Peer(1), es[1].Peer(0)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	fill := func(memory int) {
		for range 2 * memory / 10000 {
			require.NoError(t, p.TryWrite(Block{Data: pattern(10000)}))
		}
		require.Eventually(t, func() bool {
			return there.Flow().Waiting > memory*3/4 && p.Wait(over, 10000) != nil
		}, 20*time.Second, time.Millisecond)
	}
	fill(leastMemory)
	require.NoError(t, es[1].SetMemory(8*leastMemory, 8*leastMemory))
	require.NoError(t, p.Wait(t.Context(), 10000))
	require.NoError(t, p.Flush(t.Context()), "though nobody reads")
	fill(4 * leastMemory)
	go func() {
		for {
			r, err := es[1].Read(t.Context())
			if err != nil {
				return
			}
			r.Free()
		}
	}()
	require.NoError(t, p.Wait(t.Context(), 10000))
	require.NoError(t, es[1].SetMemory(leastMemory, 2*leastMemory), "less again")
	require.NoError(t, p.TryWrite(Block{Data: pattern(leastMemory / 2)}), "the longest block")
	require.NoError(t, p.Flush(t.Context()))
	require.ErrorContains(t, es[1].SetMemory(leastMemory-1, 8*leastMemory), "give at least")
	require.ErrorContains(t, es[1].SetMemory(8*leastMemory, 2*leastMemory), "no less than for one peer")
}

// Close ends every wait.
func TestCloseWakes(t *testing.T) {
	es := group(t, 2, nil)
	nobody, err := es[0].Destination(9, netip.MustParseAddrPort("127.0.0.1:1"))
	require.NoError(t, err)
	errs := make(chan error, 4)
	require.NoError(t, nobody.Start(Block{Data: pattern(1 << 20)}, func(err error) { errs <- err }))
	go func() { _, err := es[0].Read(context.Background()); errs <- err }()
	go func() { _, err := es[0].Read(t.Context()); errs <- err }()
	go func() { errs <- nobody.Write(context.Background(), Block{Data: pattern(1 << 20)}) }()
	require.NoError(t, es[0].Close())
	for range 4 {
		require.ErrorIs(t, <-errs, ErrClosed)
	}
	require.ErrorIs(t, es[0].Peer(1).Write(t.Context(), Block{}), ErrClosed)
}

// A peer that is started anew is another incarnation: what was sent to the old one fails.
func TestRestart(t *testing.T) {
	key := NewKey()
	open := func(id ID, at netip.AddrPort) *Endpoint {
		e, err := Open(Options{Self: id, Key: key, Listen: at})
		require.NoError(t, err)
		return e
	}
	a, b := open(0, loopback), open(1, loopback)
	defer a.Close()
	p, err := a.Destination(1, b.Addr())
	require.NoError(t, err)
	require.NoError(t, p.Write(t.Context(), Block{Data: pattern(100)}))
	require.NoError(t, p.Flush(t.Context()))
	first := p.Flow().Incarnation
	// The old one vanishes without a word.
	b.mu.Lock()
	addr := b.Addr()
	b.mu.Unlock()
	vanish(t, b)
	b = open(1, addr)
	defer b.Close()
	require.ErrorIs(t, p.Write(t.Context(), Block{Data: pattern(100000)}), ErrRestarted)
	require.NoError(t, p.Write(t.Context(), Block{Data: pattern(100000)}))
	require.NotEqual(t, first, p.Flow().Incarnation)
	r, err := b.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, pattern(100000), r.Data)
}

// vanish closes an endpoint without telling its peers.
func vanish(t *testing.T, e *Endpoint) {
	e.mu.Lock()
	e.closed = true
	e.announce()
	e.leaveLoop()
	require.NoError(t, e.socket.Close())
}

func TestForeignersAreRefused(t *testing.T) {
	a, err := Open(Options{Self: 0, Key: NewKey(), Listen: loopback})
	require.NoError(t, err)
	defer a.Close()
	b, err := Open(Options{Self: 1, Key: NewKey(), Listen: loopback, Timeout: 100 * time.Millisecond})
	require.NoError(t, err)
	defer b.Close()
	p, err := b.Destination(0, a.Addr())
	require.NoError(t, err)
	require.ErrorIs(t, p.Write(t.Context(), Block{Data: pattern(20000)}), ErrLost)
	// b gives up by its clock: where both have not run meanwhile, a has yet to read what came.
	require.Eventually(t, func() bool { return a.Counters().Foreign > 0 }, 20*time.Second, time.Millisecond)
	require.Nil(t, a.Peer(1))
}

func TestOptions(t *testing.T) {
	key := NewKey()
	for _, o := range []Options{
		{},
		{Key: key, Packet: 100},
		{Key: key, Packet: 70000},
		{Key: key, PeerMemory: 1000},
		{Key: key, PeerMemory: 1 << 20, Memory: 1 << 19},
		{Key: key, PeerMemory: 1 << 20, Block: 1<<19 + 1},
		{Key: key, Block: leastMemory/2 - 1},
		{Key: key, Listen: netip.MustParseAddrPort("192.0.2.1:0")},
	} {
		_, err := Open(o)
		require.Error(t, err)
	}
	e, err := Open(Options{Key: key, Self: 4})
	require.NoError(t, err)
	defer e.Close()
	_, err = e.Destination(4, loopback)
	require.Error(t, err)
	_, err = e.Destination(5, loopback)
	require.Error(t, err)
}

// The keeper takes over whenever the last driver leaves, also just before the keeper looks.
func TestKeeperTakesOver(t *testing.T) {
	es := group(t, 2, nil)
	data := pattern(300_000)
	go func() {
		for {
			r, err := es[1].Read(context.Background())
			if err != nil {
				return
			}
			r.Free()
		}
	}()
	for i := range 100 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%20)*keeperTick/10)
		_, err := es[0].Read(ctx) // drives for a while
		require.ErrorIs(t, err, context.DeadlineExceeded)
		cancel()
		done := make(chan error, 1)
		require.NoError(t, es[0].Peer(1).Start(Block{Data: data}, func(err error) { done <- err }))
		select { // nothing else is called
		case err := <-done:
			require.NoError(t, err)
		case <-time.After(20 * time.Second):
			t.Fatal("nobody drives the endpoint")
		}
	}
}

// Peers may share a key with each other one apart: who has another one for this peer is not heard.
func TestKeysOfPeers(t *testing.T) {
	pair, other := NewKey(), NewKey()
	keys := []map[ID]Key{{1: pair, 2: other}, {0: pair}, {0: NewKey()}}
	es := group(t, 3, func(o *Options) {
		own := keys[o.Self]
		o.KeyOf = func(id ID) (Key, bool) { k, ok := own[id]; return k, ok }
	})
	ctx := t.Context()
	want := pattern(1000)
	done := make(chan error, 1)
	go func() { done <- es[0].Peer(1).Write(ctx, Block{Data: want, Priority: 3}) }()
	n, from, err := es[1].Ready(ctx)
	require.NoError(t, err)
	require.Equal(t, len(want), n)
	require.EqualValues(t, 0, from)
	require.NoError(t, <-done)
	require.NoError(t, es[2].Peer(0).TryWrite(Block{Data: want, Priority: 3}))
	for es[0].Counters().Foreign == 0 {
		_, _ = es[0].Poll()
		_, _ = es[2].Poll()
	}
}
