package sys

import (
	"net/netip"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestDevices: the loopback of a new network namespace is down, and has no address until it is up.
func TestDevices(t *testing.T) {
	loopback := netip.MustParseAddr("127.0.0.1")
	require.Equal(t, "192.0.2.1", DescribeAddress(netip.MustParseAddr("192.0.2.1")))
	require.False(t, LinkDown("no such"), "not known")
	refused := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocks it: the thread ends with the goroutine
		err := unix.Unshare(unix.CLONE_NEWNET)
		if err == nil {
			if !LinkDown("lo") || DescribeAddress(loopback) != "127.0.0.1" {
				t.Error("the link of a new loopback is not down")
			}
			fd, _ := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
			defer unix.Close(fd)
			request, _ := unix.NewIfreq("lo")
			request.SetUint16(unix.IFF_UP)
			if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request); err != nil {
				t.Error(err)
			}
			if LinkDown("lo") || DescribeAddress(loopback) != "lo, 127.0.0.1/8" {
				t.Error("a loopback that is up is not seen")
			}
		}
		refused <- err
	}()
	if err := <-refused; err != nil {
		t.Skipf("network namespaces take root: %v", err)
	}
}
