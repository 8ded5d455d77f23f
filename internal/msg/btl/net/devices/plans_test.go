package devices

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/exchange"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/suci"
)

// open opens so many devices of a rank: addresses of the loopback.
func open(t *testing.T, devices int, form exchange.Form) *Set {
	var list []netip.Addr
	for i := range devices {
		list = append(list, netip.AddrFrom4([4]byte{127, 0, 0, byte(1 + i)}))
	}
	memory, err := job.Create(job.Config{
		Ranks: 2, BTL: job.BTLSM, CPUs: 2, Nodes: []int{0, 1}, Host: list[0], Devices: list, Key: job.Key{7},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, memory.Close()) })
	s, err := Open(Options{Root: memory.Root(), Addresses: list, Form: form,
		Suci: suci.Options{Self: 1, Key: suci.Key{7}, MaxPeers: 2}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// TestPlanIsMadeOnce: each start of a persistent operation announces messages of the same lengths,
// with new tags. The plan is made in the first one, and anew when a device has become slower or
// was lost.
func TestPlanIsMadeOnce(t *testing.T) {
	s := open(t, 3, exchange.Wrap)
	var to Peer
	s.Add(&to, 1, 2)
	start := func(tag int32, sizes ...int) *exchange.Plan {
		var members []Member
		for i, n := range sizes {
			members = append(members, Member{btl.Member{Peer: 1, Tag: tag + int32(i), Bytes: n}, &to})
		}
		s.Together(members)
		return s.groups[len(s.groups)-1].plan
	}
	sizes := []int{1 << 20, 1 << 20, 1 << 20, 1 << 20}
	first := start(0, sizes...)
	require.Len(t, first.Queues, 3)
	require.Same(t, first, start(10, sizes...), "the second start plans nothing")
	other := start(20, 1<<20, 2<<20)
	require.NotSame(t, first, other)
	require.Same(t, first, start(30, sizes...), "also after another operation")

	measured := func(device int, bytesPerSecond float64) {
		m := &s.list[device].sample
		for i := range m.last {
			m.last[i], m.at[i] = bytesPerSecond, time.Now()
		}
	}
	for device := range 3 {
		measured(device, 100e6)
	}
	known := start(40, sizes...)
	require.NotSame(t, first, known)
	measured(1, 98e6)
	require.Same(t, known, start(50, sizes...), "a small difference")
	measured(1, 30e6)
	slow := start(60, sizes...)
	require.NotSame(t, known, slow)
	bytes := func(p *exchange.Plan, device int) (n int) {
		for _, piece := range p.Queues[device] {
			n += piece.Len()
		}
		return n
	}
	require.Less(t, bytes(slow, 1), bytes(slow, 0)/2)

	s.setState(&to.paths[2], Down)
	lost := start(70, sizes...)
	require.Len(t, lost.Queues, 3)
	require.Zero(t, bytes(lost, 2), "a device that is down gets nothing")
	require.Same(t, lost, start(80, sizes...))
}
