package suci

import (
	"cmp"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// routed is two networks with a router between them.
//
//	here eth0 -- r0 router r1 -- eth0 there
func routed(t *testing.T) (here, router, there *network) {
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("ip of iproute2 is not installed")
	}
	here, router, there = newNetwork(t), newNetwork(t), newNetwork(t)
	for i, n := range []*network{here, there} {
		router.ip(t, fmt.Sprintf("link add r%d mtu 9000 type veth peer name eth0 mtu 9000 netns %d", i, n.thread),
			fmt.Sprintf("addr add 10.9.%d.1/24 dev r%d", i, i), fmt.Sprintf("link set r%d up", i))
		n.ip(t, fmt.Sprintf("addr add 10.9.%d.2/24 dev eth0", i), "link set eth0 up",
			fmt.Sprintf("route add default via 10.9.%d.1", i))
	}
	out, err := exec.Command("nsenter", "-t", fmt.Sprint(router.thread), "-n", "sh", "-c",
		"echo 1 > /proc/sys/net/ipv4/ip_forward").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return here, router, there
}

// carry has the router forward packets of so many bytes to a network; 0: what its device takes.
func (n *network) carry(t *testing.T, router *network, link, mtu int) {
	if mtu > 0 {
		router.ip(t, fmt.Sprintf("route replace 10.9.%d.0/24 dev r%d mtu lock %d", link, link, mtu))
	}
}

// fragments is how many fragments the kernel has made in a network.
func (n *network) fragments(t *testing.T) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/net/snmp", n.thread))
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); words[0] == "Ip:" && words[1] != "Forwarding" {
			return words[19]
		}
	}
	require.Fail(t, "no FragCreates", "%s", text)
	return ""
}

// couplet is an endpoint in each of two networks, and a message each way is exchange.
func couplet(t *testing.T, here, there *network) (a, b *Peer, exchange func(size int)) {
	key := NewKey()
	x := here.open(t, Options{Key: key, Listen: netip.MustParseAddrPort("10.9.0.2:0")})
	y := there.open(t, Options{Self: 1, Key: key, Listen: netip.MustParseAddrPort("10.9.1.2:0")})
	a, err := x.Destination(1, y.Addr())
	require.NoError(t, err)
	b, err = y.Destination(0, x.Addr())
	require.NoError(t, err)
	return a, b, func(size int) {
		for _, c := range []struct {
			to   *Peer
			from *Endpoint
		}{{a, y}, {b, x}} {
			require.NoError(t, c.to.Write(t.Context(), Block{Data: pattern(size)}))
			r, err := c.from.Read(t.Context())
			require.NoError(t, err)
			require.Equal(t, pattern(size), r.Data)
			r.Free()
		}
	}
}

// Each direction finds the longest packets that devices, routers and switches carry, and none is cut into fragments:
// also where a router says nothing of those that it does not forward.
func TestPathMTU(t *testing.T) {
	cases := []struct {
		name        string
		devices     int // MTU of all
		there, back int // MTU of the router each way; 0: that of the devices
		mute        bool
	}{
		{"jumbo frames", 9000, 0, 0, false},
		{"device", 1450, 0, 0, false},
		{"IPv6's least", 1280, 0, 0, false},
		{"router", 1500, 1450, 1450, false},
		{"mute router", 1500, 1280, 1280, true},
		{"one way", 1500, 1450, 0, false},
		{"mute, each way another", 9000, 1280, 1500, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			here, router, there := routed(t)
			for i, n := range []*network{here, there} {
				n.ip(t, fmt.Sprintf("link set eth0 mtu %d", c.devices))
				router.ip(t, fmt.Sprintf("link set r%d mtu %d", i, c.devices))
			}
			there.carry(t, router, 1, c.there)
			here.carry(t, router, 0, c.back)
			most, mostBack := cmp.Or(c.there, c.devices), cmp.Or(c.back, c.devices)
			if c.mute {
				router.ip(t, "rule add ipproto icmp blackhole priority 1")
			}
			a, b, exchange := couplet(t, here, there)
			exchange(300_000)
			found := func() bool {
				return a.Flow().Packet+28 >= most-8 && b.Flow().Packet+28 >= mostBack-8
			}
			require.Eventually(t, found, 10*time.Second, time.Millisecond)
			before := here.fragments(t) + " " + router.fragments(t) + " " + there.fragments(t)
			exchange(1_000_000)
			require.Equal(t, before, here.fragments(t)+" "+router.fragments(t)+" "+there.fragments(t))
			require.LessOrEqual(t, a.Flow().Packet+28, most)
			require.LessOrEqual(t, b.Flow().Packet+28, mostBack)
		})
	}
}

// The MTU of a device or of a router becomes less while messages go by. All arrive, and those that follow are not cut.
func TestPathMTUShrinks(t *testing.T) {
	for _, mute := range []bool{false, true} {
		for _, device := range []bool{false, true} {
			t.Run(fmt.Sprintf("mute=%v/device=%v", mute, device), func(t *testing.T) {
				here, router, there := routed(t)
				if mute {
					router.ip(t, "rule add ipproto icmp blackhole priority 1")
				}
				a, _, exchange := couplet(t, here, there)
				exchange(300_000)
				begun := make(chan struct{})
				go func() {
					<-begun
					// At both ends of the cable: if one end keeps long frames, the other drops them, and
					// nothing cuts a block of which some packets are sent.
					if device {
						here.ip(t, "link set eth0 mtu 1450")
						router.ip(t, "link set r0 mtu 1450")
					} else {
						there.ip(t, "link set eth0 mtu 1450")
						router.ip(t, "link set r1 mtu 1450")
					}
				}()
				for i := range 100 {
					if i == 10 {
						close(begun)
					}
					exchange(100_000)
				}
				require.Eventually(t, func() bool { exchange(20_000); return a.Flow().Packet <= 1422 },
					time.Minute, time.Millisecond)
				sends := func() uint64 { return a.endpoint.Counters().Socket.Sends }
				first := sends()
				exchange(1_000_000)
				require.Less(t, sends()-first, uint64(1_000_000/1450/4), "the kernel still cuts trains into datagrams")
				require.Eventually(t, func() bool {
					before := here.fragments(t) + " " + router.fragments(t)
					exchange(1_000_000)
					return before == here.fragments(t)+" "+router.fragments(t) && a.Flow().Packet >= 1414
				}, time.Minute, time.Millisecond)
			})
		}
	}
}
