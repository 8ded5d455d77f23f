package suci

import (
	"fmt"
	"net/netip"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/netns"
)

// network is a network namespace, which a thread holds. It ends with the test.
type network struct {
	thread int
	calls  chan func()
}

func newNetwork(t *testing.T) *network {
	n := &network{calls: make(chan func())}
	started := make(chan error)
	var all sync.WaitGroup
	all.Go(func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		n.thread = syscall.Gettid()
		started <- syscall.Unshare(syscall.CLONE_NEWNET)
		for f := range n.calls {
			f()
		}
	})
	t.Cleanup(func() {
		close(n.calls)
		all.Wait()
	})
	if err := <-started; err != nil {
		t.Skipf("no network namespace can be made here: %v", err)
	}
	return n
}

// open opens an endpoint in the network.
func (n *network) open(t *testing.T, o Options) *Endpoint {
	var e *Endpoint
	var err error
	done := make(chan struct{})
	n.calls <- func() { defer close(done); e, err = Open(o) }
	<-done
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

func (n *network) ip(t *testing.T, commands ...string) {
	require.NoError(t, netns.IP(t.Context(), n.thread, commands...))
}

// While the device of an endpoint is gone, its loop sleeps and does not spin. Blocks go on when the
// device is back, or another one with its address.
func TestDeviceGoneAndBack(t *testing.T) {
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("ip of iproute2 is not installed")
	}
	again := func(here *network) string {
		return fmt.Sprintf("link add q type veth peer name eth0 netns %d", here.thread)
	}
	cases := map[string]struct{ gone, back func(here, there *network) }{
		"down": {
			func(here, _ *network) { here.ip(t, "link set eth0 down") },
			func(here, _ *network) { here.ip(t, "link set eth0 up") },
		},
		"unreachable": {
			func(here, _ *network) { here.ip(t, "route add unreachable 10.9.8.2/32") },
			func(here, _ *network) { here.ip(t, "route del unreachable 10.9.8.2/32") },
		},
		"deleted": {
			func(here, _ *network) { here.ip(t, "link del eth0") },
			func(here, there *network) {
				there.ip(t, again(here), "link set q master sw up")
				here.ip(t, "addr add 10.9.8.1/24 dev eth0", "link set eth0 up")
			},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			here, there := newNetwork(t), newNetwork(t)
			port := netns.Port{Name: "p", Pid: here.thread, Device: "eth0",
				Address: netip.MustParsePrefix("10.9.8.1/24")}
			if err := netns.Connect(t.Context(), there.thread, "sw", port); err != nil {
				t.Skipf("no network can be made here: %v", err)
			}
			there.ip(t, "addr add 10.9.8.2/24 dev sw")
			testGoneAndBack(t, here, there, func() { c.gone(here, there) }, func() { c.back(here, there) })
		})
	}
}

func testGoneAndBack(t *testing.T, here, there *network, gone, back func()) {
	silent := make(chan struct{}, 1)
	key := NewKey()
	a := here.open(t, Options{Key: key, Listen: netip.MustParseAddrPort("10.9.8.1:0"), OnChange: func(_ ID, c Change) {
		if c == Silent {
			select {
			case silent <- struct{}{}:
			default:
			}
		}
	}})
	b := there.open(t, Options{Self: 1, Key: key, Listen: netip.MustParseAddrPort("10.9.8.2:0")})
	peer, err := a.Destination(1, b.Addr())
	require.NoError(t, err)
	require.NoError(t, peer.Write(t.Context(), Block{Data: pattern(10)}))
	require.NoError(t, peer.Flush(t.Context()))

	gone()
	done := make(chan error, 1)
	before := a.Counters().Waits
	require.NoError(t, peer.Start(Block{Data: pattern(200_000)}, func(err error) { done <- err }))
	<-silent
	require.Less(t, a.Counters().Waits-before, uint64(500), "some for each probe")
	back()
	for _, size := range []int{10, 200_000} {
		r, err := b.Read(t.Context())
		require.NoError(t, err)
		require.Equal(t, pattern(size), r.Data)
		r.Free()
	}
	require.NoError(t, <-done)
}
