package job

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestNodes(t *testing.T) {
	m, err := Create(Config{Ranks: 4, BTL: BTLSM, CPUs: 2, Nodes: []int{0, 0, 1, 1}, Node: 1, Key: Key{1, 2, 3}})
	require.NoError(t, err)
	defer m.Close()
	r := m.Root()
	require.Equal(t, 2, r.Nodes())
	require.Equal(t, 1, r.Here())
	require.Equal(t, 2, r.Near())
	require.Equal(t, []int{0, 0, 1, 1, 0}, []int{r.Node(0), r.Node(1), r.Node(2), r.Node(3), r.Node(4)})
	require.Equal(t, Key{1, 2, 3}, r.Key())
	require.Positive(t, r.Spin(), "two ranks here, and two CPUs")
}

func TestNodesThatAreRefused(t *testing.T) {
	for message, c := range map[string]Config{
		"nodes are given for 1 ranks of 2": {Nodes: []int{0}},
		"node 2 of rank 1 is outside 0..1": {Nodes: []int{0, 2}},
		"no rank is on node 1":             {Nodes: []int{0, 0}, Node: 1},
	} {
		c.Ranks, c.BTL, c.CPUs = 2, BTLSM, 1
		_, err := Create(c)
		require.ErrorContains(t, err, message)
	}
}

func TestAddresses(t *testing.T) {
	m, err := Create(Config{Ranks: 2, BTL: BTLSM, CPUs: 2, Nodes: []int{0, 1}})
	require.NoError(t, err)
	defer m.Close()
	r := m.Root()
	for rank, a := range []string{"10.77.0.1:4711", "[2001:db8::17]:65535"} {
		require.Nil(t, r.Addresses(rank))
		want := []netip.AddrPort{netip.MustParseAddrPort(a), {}, netip.MustParseAddrPort("10.77.2.1:3")}[:1+2*rank]
		seen, noted := make(chan uint32), r.head.addressNotes.Load()
		go func() {
			n, _ := r.AwaitAddresses(context.Background(), noted)
			seen <- n
		}()
		r.SetAddresses(rank, want...)
		require.Equal(t, noted+1, <-seen)
		require.Equal(t, want, r.Addresses(rank))
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err = r.AwaitAddresses(ctx, 2)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestDevices(t *testing.T) {
	a, b := netip.MustParseAddr("10.77.0.1"), netip.MustParseAddr("2001:db8::17")
	c := Config{Ranks: 2, BTL: BTLSM, CPUs: 2, Nodes: []int{0, 1}, Host: a, Devices: []netip.Addr{a, b}}
	m, err := Create(c)
	require.NoError(t, err)
	defer m.Close()
	r := m.Root()
	require.Equal(t, a, r.Host())
	require.Equal(t, []netip.Addr{a, b}, r.Devices())
	use := DeviceUse{1, 2, 3, 4, 5, 6, 7}
	r.PublishDevice(1, MaxDevices-1, use)
	require.Equal(t, use, r.DeviceUse(1, MaxDevices-1))
	require.Zero(t, r.DeviceUse(0, MaxDevices-1))
	r.PublishDevice(1, MaxDevices, use) // nothing
	require.Zero(t, r.DeviceUse(1, MaxDevices))

	c.Devices = []netip.Addr{b}
	_, err = Create(c)
	require.ErrorContains(t, err, "and the node 10.77.0.1")
	c.Devices = make([]netip.Addr, MaxDevices+1)
	_, err = Create(c)
	require.ErrorContains(t, err, "at most 8")
}
