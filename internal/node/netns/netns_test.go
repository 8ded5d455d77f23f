package netns_test

import (
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/netns"
)

// namespace starts a process in a network of its own, which ends with the test.
func namespace(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("cat")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	if err := cmd.Start(); err != nil {
		t.Skipf("no network namespace can be made here: %v", err)
	}
	t.Cleanup(func() {
		require.NoError(t, in.Close())
		require.NoError(t, cmd.Wait())
	})
	return cmd.Process.Pid
}

// show returns what ip says of a device.
func show(t *testing.T, pid int, args ...string) string {
	t.Helper()
	out, err := exec.Command("nsenter",
		append([]string{"-t", strconv.Itoa(pid), "-n", "ip", "-o"}, args...)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

func TestConnect(t *testing.T) {
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("ip of iproute2 is not installed")
	}
	hub := namespace(t)
	var ports []netns.Port
	for i := range 2 {
		ports = append(ports, netns.Port{Name: fmt.Sprintf("p%d", i), Pid: namespace(t), Device: "eth0",
			Address: netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 9, 8, byte(i + 1)}), 24)})
	}
	if err := netns.IP(t.Context(), hub, "link add name probe type bridge"); err != nil {
		t.Skipf("no network can be made here: %v", err)
	}
	require.NoError(t, netns.Connect(t.Context(), hub, "sw", ports...))
	for i, p := range ports {
		require.Contains(t, show(t, hub, "link", "show", p.Name), "master sw state UP")
		require.Contains(t, show(t, p.Pid, "addr", "show", "eth0"), fmt.Sprintf("inet 10.9.8.%d/24", i+1))
		require.Contains(t, show(t, p.Pid, "addr", "show", "lo"), "127.0.0.1/8")
		require.Contains(t, show(t, p.Pid, "neigh"),
			fmt.Sprintf("10.9.8.%d dev eth0 lladdr 02:00:0a:09:08:%02d PERMANENT", 2-i, 2-i), "the other node")
	}
	if _, err := os.Stat("/proc/sys/net/bridge"); err == nil { // else there is no br_netfilter
		filters, err := exec.Command("nsenter", "-t", strconv.Itoa(hub), "-n", "sh", "-c",
			"cat /proc/sys/net/bridge/bridge-nf-call-*").Output()
		require.NoError(t, err)
		require.Equal(t, strings.Repeat("0\n", 3), string(filters), "the switch passes frames through filters")
	}
	err := netns.Connect(t.Context(), hub, "sw", ports...)
	require.ErrorContains(t, err, fmt.Sprintf("netns: ip in the network of process %d: exit status", hub))
	require.ErrorContains(t, err, "File exists")
	ports[1].Address = netip.MustParsePrefix("fd00::2/64")
	require.ErrorContains(t, netns.Connect(t.Context(), hub, "sw2", ports...), "fd00::2/64 is no IPv4 address")
}
