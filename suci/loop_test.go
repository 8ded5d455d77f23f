package suci

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/suci/internal/protocol"
	"github.com/gopvas/gopvas/suci/internal/udp"
)

// joined opens nodes with as many endpoints each, which share a loop. Endpoints of one number know each
// other, by the numbers of the nodes.
func joined(t *testing.T, nodes, endpoints int, change func(*Options)) (all [][]*Endpoint) {
	all = make([][]*Endpoint, nodes)
	for range endpoints {
		es := group(t, nodes, func(o *Options) {
			if first := all[o.Self]; first != nil {
				o.With = first[0]
			}
			if change != nil {
				change(o)
			}
		})
		for i, e := range es {
			all[i] = append(all[i], e)
		}
	}
	return all
}

// Who waits for one endpoint drives all of its loop.
func TestOneWaitsForAll(t *testing.T) {
	nodes := joined(t, 2, 5, nil)
	done := make(chan error, len(nodes[0]))
	for i, e := range nodes[0] {
		require.NoError(t, e.Peer(1).Start(Block{Data: pattern(100_000 + i)}, func(err error) { done <- err }))
	}
	came := func() bool { // the keeper may have been faster
		return slices.ContainsFunc(nodes[1], func(e *Endpoint) bool { return e.unread.Load() > 0 })
	}
	for left := len(nodes[1]); left > 0; {
		ok, err := nodes[1][0].Rest(10*time.Second, false, came)
		require.NoError(t, err)
		require.True(t, ok)
		for i, e := range nodes[1] {
			for r, ok := e.Next(); ok; r, ok = e.Next() {
				require.Equal(t, pattern(100_000+i), r.Data)
				r.Free()
				left--
			}
		}
	}
	for range nodes[0] {
		require.NoError(t, <-done) // by the keeper: nobody waits at node 0
	}
}

// While nobody waits, one keeper drives all, and tells the first endpoint's program.
func TestOneKeeperForAll(t *testing.T) {
	news := make(chan struct{}, 1)
	nodes := joined(t, 2, 3, func(o *Options) {
		if o.Self == 1 && o.With == nil {
			o.OnNews = func() {
				select {
				case news <- struct{}{}:
				default:
				}
			}
		}
	})
	for i, e := range nodes[0] {
		require.NoError(t, e.Peer(1).TryWrite(Block{Data: pattern(10 + i)}))
	}
	got := 0
	for got < len(nodes[1]) {
		select {
		case <-news:
		case <-time.After(20 * time.Second):
			t.Fatal("nobody drives the endpoints")
		}
		for i, e := range nodes[1] {
			if r, ok := e.Next(); ok {
				require.Equal(t, pattern(10+i), r.Data)
				r.Free()
				got++
			}
		}
	}
}

// An endpoint whose socket is never found empty does not keep the loop from looking at the others.
func TestBusyEndpointLeavesTheOthersTheirTurn(t *testing.T) {
	endpoints := joined(t, 2, 2, nil)[1]
	busy, other := endpoints[0], endpoints[1]
	busy.mu.Lock() // so that nobody else receives
	defer busy.mu.Unlock()
	send := func(to *Endpoint, times int) {
		conn, err := net.Dial("udp", to.Addr().String())
		require.NoError(t, err)
		defer conn.Close()
		for range times {
			_, err := conn.Write([]byte("no packet of suci"))
			require.NoError(t, err)
		}
	}
	send(busy, 200)
	send(other, 1)
	busy.ready, other.ready = true, false
	require.True(t, busy.step())
	require.True(t, busy.ready, "there is more")
	require.True(t, other.ready)
}

// An endpoint of a loop is closed while others are in use, in whatever order.
func TestCloseOneOfSeveral(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}} {
		nodes := joined(t, 2, 3, nil)
		for k, i := range order {
			last := nodes[0][order[len(order)-1]]
			ctx, cancel := context.WithCancel(t.Context())
			var waiter sync.WaitGroup
			waiter.Go(func() {
				for {
					r, err := last.Read(ctx)
					if err != nil {
						return
					}
					r.Free()
				}
			})
			require.NoError(t, nodes[1][order[len(order)-1]].Peer(0).Write(t.Context(), Block{Data: pattern(50_000)}))
			require.NoError(t, nodes[0][i].Close())
			require.ErrorIs(t, nodes[0][i].Peer(1).TryWrite(Block{}), ErrClosed)
			if k < len(order)-1 {
				require.NoError(t,
					nodes[1][order[len(order)-1]].Peer(0).Write(t.Context(), Block{Data: pattern(50_000)}))
			}
			cancel()
			waiter.Wait()
		}
	}
}

func TestJoinIsRefused(t *testing.T) {
	first, err := Open(Options{Self: 1, Key: NewKey(), Listen: loopback})
	require.NoError(t, err)
	open := func() (*Endpoint, error) {
		return Open(Options{Self: 1, Key: NewKey(), Listen: loopback, With: first})
	}
	es := []*Endpoint{first}
	for range udp.MostSockets - 1 {
		e, err := open()
		require.NoError(t, err)
		es = append(es, e)
	}
	_, err = open()
	require.ErrorContains(t, err, "without With")
	for _, e := range es {
		require.NoError(t, e.Close())
	}
	_, err = open()
	require.ErrorIs(t, err, ErrClosed)
}

// A loop gathers if its devices are slow, and a block with a place is under way.
func TestGathers(t *testing.T) {
	nodes := joined(t, 2, 4, func(o *Options) { o.Packet = 1472 })
	from, to := nodes[0][2], nodes[1][2]
	l := to.loop
	decide := func(rate float64) protocol.Time {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.since, l.rate = l.now()+protocol.Second, rate // no other rate is measured meanwhile
		l.gather(l.now())
		return l.slack
	}
	require.NoError(t, from.Peer(1).TryWrite(Block{Data: pattern(8)}))
	require.NoError(t, from.Peer(1).Flush(t.Context()))
	require.Zero(t, decide(0.05), "nothing is under way")
	require.NoError(t, to.Expect(0, 3, make([]byte, 1<<20)))
	from.Peer(1).SetPace(1) // only the first packets come
	require.NoError(t, from.Peer(1).Start(Block{Data: pattern(1 << 20), Place: 3}, func(error) {}))
	begun := func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.streams()
	}
	require.Eventually(t, begun, 20*time.Second, time.Millisecond)
	require.Equal(t, gatherMost, decide(0.05), "slow devices")
	require.Zero(t, decide(1), "fast devices")
	require.Zero(t, decide(0), "the rate is not known")
	packets := float64(gatherPackets * to.machine.PacketSize() * len(nodes[1]))
	require.InDelta(t, 100e3, int64(decide(packets/100e3)), 1e3)
}

// While a loop gathers it sees no packets. It takes all of them in afterwards.
func TestGatheringEnds(t *testing.T) {
	nodes := joined(t, 2, 2, nil)
	l := nodes[1][0].loop
	for _, e := range nodes[0] {
		require.NoError(t, e.Peer(1).TryWrite(Block{Data: pattern(8)}))
		require.NoError(t, e.Peer(1).Flush(t.Context()))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.driver.Add(1) // the keeper is deposed
	l.driving = true
	defer l.leave()
	l.until = l.now() + protocol.Second/20
	require.True(t, l.gathers(l.now()))
	for l.gathers(l.now()) {
		l.sleepBy(l.driverWake, time.Minute, true)
	}
	for _, d := range l.drives {
		require.True(t, d.ready)
	}
	l.step()
	for _, d := range l.drives {
		require.False(t, d.ready, "looked at")
	}
}

// What happens while the keeper tells the program that it drives is news.
func TestNewsWhileTheKeeperBegins(t *testing.T) {
	var self atomic.Pointer[Endpoint]
	var wakes, tells sync.Once
	woken, told := make(chan struct{}), make(chan struct{})
	e := group(t, 1, func(o *Options) {
		o.OnKeep = func(keeps bool) {
			if e := self.Load(); e != nil && keeps {
				wakes.Do(func() { e.Wake(); close(woken) })
			}
		}
		o.OnNews = func() {
			select {
			case <-woken:
				tells.Do(func() { close(told) })
			default:
			}
		}
	})[0]
	self.Store(e)
	for end, tick := time.After(20*time.Second), time.Tick(20*keeperTick); ; {
		e.Poll() // the keeper drives anew afterwards
		select {
		case <-told:
			return
		case <-end:
			t.Fatal("the news is lost")
		case <-tick:
		}
	}
}

// Where somebody polls in each tick, the keeper does not take the lock: here its holder would wait for itself.
func TestKeeperLeavesThePollerTheLock(t *testing.T) {
	var l loop
	l.mu.Lock()
	ticks := 0
	l.standBy(func() {
		if ticks++; ticks < 50 {
			l.driver.Add(1)
			return
		}
		l.over = true
		l.mu.Unlock()
	})
	require.Equal(t, 50, ticks)
}

// Poll tells apart what has come and what was only sent.
func TestPollOfOnlySent(t *testing.T) {
	silent, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(loopback))
	require.NoError(t, err)
	defer func() { require.NoError(t, silent.Close()) }()
	e := group(t, 1, nil)[0]
	_, err = e.Destination(1, silent.LocalAddr().(*net.UDPAddr).AddrPort())
	require.NoError(t, err)
	require.NoError(t, e.Peer(1).TryWrite(Block{Data: pattern(8)}))
	for sent := false; !sent; {
		var came bool
		came, sent = e.Poll()
		require.False(t, came)
	}
}

// A call that is told not to poll sleeps, and sees that its time is over.
func TestHold(t *testing.T) {
	asked := 0
	e, err := Open(Options{
		Self: 1, Key: NewKey(), Listen: netip.MustParseAddrPort("127.0.0.1:0"), Spin: time.Hour,
		Hold: func() bool { asked++; return true },
	})
	require.NoError(t, err)
	before := e.Counters().Waits
	for slept := false; !slept; slept = e.Counters().Waits > before { // the time may be over before a sleep begins
		ok, err := e.Rest(time.Millisecond, false, func() bool { return false })
		require.NoError(t, err)
		require.False(t, ok)
		require.Positive(t, asked)
	}
	require.NoError(t, e.Close())
}

// Two nodes send each other long blocks by eight slow devices, and one goroutine of each drives all.
func TestStreamsOfSlowDevices(t *testing.T) {
	const length, pace = 256 << 10, 6e6
	nodes := joined(t, 2, 8, nil)
	waits := func() uint64 { return nodes[0][0].Counters().Waits + nodes[1][0].Counters().Waits }
	for i, es := range nodes {
		for _, e := range es {
			require.NoError(t, e.Peer(ID(1-i)).Write(t.Context(), Block{Data: pattern(8)}))
			require.NoError(t, e.Peer(ID(1-i)).Flush(t.Context()))
			e.Peer(ID(1 - i)).SetPace(pace)
		}
	}
	var left atomic.Int32
	var places [2][8][]byte
	for i, es := range nodes {
		for k, e := range es {
			places[i][k] = make([]byte, length)
			require.NoError(t, e.Expect(ID(1-i), 3, places[i][k]))
			left.Add(1)
		}
	}
	before, begin := waits(), time.Now()
	for i, es := range nodes {
		for _, e := range es {
			b := Block{Data: pattern(length), Place: 3, Priority: 2}
			require.NoError(t, e.Peer(ID(1-i)).Start(b, func(error) { left.Add(-1) }))
		}
	}
	var waiters sync.WaitGroup
	for _, es := range nodes {
		waiters.Go(func() {
			for left.Load() > 0 && !t.Failed() {
				if _, err := es[0].Rest(2*time.Millisecond, false,
					func() bool { return left.Load() == 0 }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	waiters.Wait()
	t.Logf("%d waits in %v for %d packets", waits()-before, time.Since(begin), 2*8*length/1440)
	for i := range places {
		for k := range places[i] {
			require.Equal(t, pattern(length), places[i][k])
		}
	}
}
