package suci

import (
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/suci/internal/wire"
)

// attacker is a network between two endpoints: it forwards all packets, and sends hostile ones
// beside those to one of them.
type attacker struct {
	sealed  bool // packets are: then a changed one may have the right tag
	rng     *rand.Rand
	front   *net.UDPConn // a sends to it
	back    *net.UDPConn // b gets packets from it
	to      netip.AddrPort
	mu      sync.Mutex
	from    netip.AddrPort // of a
	hostile int            // packets for each one that is forwarded
	sent    int            // hostile ones
	samples [][]byte
}

func newAttacker(t *testing.T, to netip.AddrPort, sealed bool) *attacker {
	m := &attacker{sealed: sealed, rng: testkit.Rand(t), to: to}
	for _, c := range []**net.UDPConn{&m.front, &m.back} {
		conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(loopback))
		require.NoError(t, err)
		_ = conn.SetReadBuffer(4 << 20)
		*c = conn
	}
	var wg sync.WaitGroup
	wg.Go(m.there)
	wg.Go(m.home)
	t.Cleanup(func() {
		_ = m.front.Close()
		_ = m.back.Close()
		wg.Wait()
	})
	return m
}

// there forwards packets from a to b, and attacks.
func (m *attacker) there() {
	b := make([]byte, 1<<16)
	for {
		n, from, err := m.front.ReadFromUDPAddrPort(b)
		if err != nil {
			return
		}
		m.mu.Lock()
		m.from = from
		if len(m.samples) < 500 {
			m.samples = append(m.samples, slices.Clone(b[:n]))
		}
		for range m.hostile {
			_, _ = m.back.WriteToUDPAddrPort(m.change(), m.to)
			m.sent++
		}
		m.mu.Unlock()
		_, _ = m.back.WriteToUDPAddrPort(b[:n], m.to)
	}
}

// home forwards packets from b to a.
func (m *attacker) home() {
	b := make([]byte, 1<<16)
	for {
		n, _, err := m.back.ReadFromUDPAddrPort(b)
		if err != nil {
			return
		}
		m.mu.Lock()
		from := m.from
		m.mu.Unlock()
		_, _ = m.front.WriteToUDPAddrPort(b[:n], from)
	}
}

// change makes a hostile packet: random bytes; or one that was seen, changed, cut off, or as it was.
func (m *attacker) change() []byte {
	p := slices.Clone(m.samples[m.rng.IntN(len(m.samples))])
	switch m.rng.IntN(4) {
	case 0:
		for i := range p {
			p[i] = byte(m.rng.Uint32())
		}
	case 1:
		at := m.rng.IntN(len(p))
		if !m.sealed {
			at = m.rng.IntN(8) // who sees open packets can forge them; here the tag is not known
		}
		p[at] ^= 1 << m.rng.IntN(8)
	case 2:
		most := len(p)
		if !m.sealed {
			most = min(most, wire.DataHeaderSize) // a longer part would be a forged packet of a block of shorter ones
		}
		p = p[:m.rng.IntN(most)]
	}
	return p
}

// attack sets how many hostile packets go with each one, and returns how many have gone.
func (m *attacker) attack(hostile int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hostile = hostile
	return m.sent
}

// many is from how many packets on the rate of the blocks is measured: it must stay within 10 %.
// The blocks are sent with and without a flood by turns, so that both have the same share of what
// else the machine does.
const many = 1e6

// An endpoint in use is flooded with random, changed, cut and repeated packets. It does not crash or
// grow, and all blocks arrive. TEST_PACKETS says how many packets.
func TestFlood(t *testing.T) {
	packets := 5000
	if s := os.Getenv("TEST_PACKETS"); s != "" {
		n, err := strconv.Atoi(s)
		require.NoError(t, err)
		packets = n
	}
	for _, sealed := range []bool{false, true} {
		es := group(t, 2, func(o *Options) { o.Encrypt = sealed })
		m := newAttacker(t, es[1].Addr(), sealed)
		p, err := es[0].Destination(1, m.front.LocalAddr().(*net.UDPAddr).AddrPort())
		require.NoError(t, err)
		p.SetPace(2 << 20) // the flood is six times as many packets
		if packets >= many {
			p.SetPace(8 << 20)
		}
		blocks := min(max(1, packets/6/46/4), 60) // of a turn
		flow(t, es, p, blocks)
		heap, routines := heapInUse(), runtime.NumGoroutine()
		var calm, under []time.Duration // a block, by turns
		for m.attack(0) < packets {
			few := max(1, blocks/3)
			calm = append(calm, flow(t, es, p, few)/time.Duration(few))
			m.attack(6)
			under = append(under, flow(t, es, p, blocks)/time.Duration(blocks))
		}
		slices.Sort(calm)
		slices.Sort(under)
		without, with := calm[len(calm)/2], under[len(under)/2]
		t.Logf("sealed %v: %d hostile packets; a block takes %v without them and %v with them", sealed,
			m.attack(0), without, with)
		require.Len(t, es[1].Flows(), 1)
		require.LessOrEqual(t, runtime.NumGoroutine(), routines+4) // some may be about to end
		require.Less(t, heapInUse(), heap+8<<20)
		c := es[1].Counters()
		require.Positive(t, c.Foreign)
		require.Positive(t, c.Malformed)
		if packets >= many {
			require.Less(t, with, without*11/10)
		}
	}
}

// flow sends blocks of 64 KiB from the first endpoint to the second one, checks them and returns
// how long it took.
func flow(t *testing.T, es []*Endpoint, p *Peer, blocks int) time.Duration {
	want := pattern(64 << 10)
	start := time.Now()
	for range blocks {
		done := make(chan error, 1)
		go func() { done <- p.Write(t.Context(), Block{Data: want}) }()
		r, err := es[1].Read(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, r.Data)
		r.Free()
		require.NoError(t, <-done)
	}
	return time.Since(start)
}

func heapInUse() uint64 {
	var s runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}
