package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/node/netns"
)

// Links say what connects the nodes of a cluster.
type Links struct {
	Rate   int     // bits per second of every link, 0: not limited
	Buffer int     // bytes that a port of the switch queues towards its node
	Frames bool    // single frames, as on a wire; implied by Rate and Loss
	Loss   float64 // share of the packets that the switch drops
	Pin    bool    // node i runs on CPU i, modulo their number

	Devices int  // of each node, each with a switch and a network of its own; 0: 1
	MPTCP   bool // connections of MPTCP use all devices

	Congestion string // TCP's control of it; "": the system's
}

// MostDevices is how many devices the nodes of a cluster can have.
const MostDevices = 8

// Cluster is network namespaces on this machine: one for each node and one for a switch that
// connects them. A process that reads from a pipe of this one keeps each namespace, so all
// of it goes when this process ends, however it does.
type Cluster struct {
	Links
	spaces []*space // of the nodes, and the switch's behind them
}

// space is a network namespace and the process that keeps it.
type space struct {
	keeper *exec.Cmd
	pipe   io.Closer
}

// NewCluster makes so many nodes. It needs root, ip, tc and ethtool, and nft for losses: see
// ErrCluster. The caller closes the cluster.
func NewCluster(ctx context.Context, nodes int, links Links) (c *Cluster, err error) {
	c = &Cluster{Links: links}
	defer func() {
		if err != nil {
			c.Close()
			err = fmt.Errorf("transport: make a cluster of %d nodes: %w", nodes, err)
		}
	}()
	for range nodes + 1 {
		s, err := newSpace()
		if err != nil {
			return c, err
		}
		c.spaces = append(c.spaces, s)
	}
	for device := range c.devices() {
		if err := c.connect(ctx, device); err != nil {
			return c, err
		}
	}
	if err := c.announce(ctx); err != nil {
		return c, err
	}
	if err := c.control(ctx); err != nil {
		return c, err
	}
	return c, c.lose(ctx)
}

// control has TCP use the congestion control of Links, or notes which one it uses.
func (c *Cluster) control(ctx context.Context) error {
	const file = "/proc/sys/net/ipv4/tcp_congestion_control"
	if c.Congestion == "" {
		out, err := c.Command(ctx, 0, "cat", file).Output()
		c.Congestion = strings.TrimSpace(string(out))
		return err
	}
	const allowed = "tcp_allowed_congestion_control" // by nodes, which are network namespaces
	there, err := os.ReadFile("/proc/sys/net/ipv4/" + allowed)
	if list := strings.Fields(string(there)); err == nil && !slices.Contains(list, c.Congestion) {
		return fmt.Errorf("nodes may not use the congestion control %q of TCP: write one of %s, or add it to sysctl "+
			"net.ipv4.%s", c.Congestion, strings.Join(list, ", "), allowed)
	}
	for node := range c.Nodes() {
		cmd := c.Command(ctx, node, "tee", file)
		cmd.Stdin = strings.NewReader(c.Congestion)
		if err := explain(cmd); err != nil {
			return fmt.Errorf("set the congestion control %s: %w", c.Congestion, err)
		}
	}
	return nil
}

func newSpace() (*space, error) {
	cmd := exec.Command("cat")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Setpgid: true}
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("make a network namespace: %w; it takes root", err)
	}
	return &space{cmd, pipe}, nil
}

func (s *space) pid() int { return s.keeper.Process.Pid }

// hub is the number of the switch's namespace.
func (c *Cluster) hub() int { return len(c.spaces) - 1 }

// Nodes is the number of nodes.
func (c *Cluster) Nodes() int { return c.hub() }

// devices is how many devices a node has.
func (c *Cluster) devices() int { return max(c.Devices, 1) }

// Address is that of the first device of a node.
func (c *Cluster) Address(node int) netip.Addr { return c.address(node, 0) }

func (c *Cluster) address(node, device int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, byte(78 + device), byte(node >> 8), byte(node&255 + 1)})
}

// portOf is the name of the switch's port to a device of a node.
func portOf(node, device int) string { return fmt.Sprintf("p%d.%d", node, device) }

// connect makes the switch of the devices of a number, and their links.
func (c *Cluster) connect(ctx context.Context, device int) error {
	name := "eth" + strconv.Itoa(device)
	var ports []netns.Port
	for node, s := range c.spaces[:c.Nodes()] {
		ports = append(ports, netns.Port{
			Name: portOf(node, device), Pid: s.pid(), Device: name,
			Address: netip.PrefixFrom(c.address(node, device), 16),
		})
	}
	if err := netns.Connect(ctx, c.spaces[c.hub()].pid(), "sw"+strconv.Itoa(device), ports...); err != nil {
		return err
	}
	for node, p := range ports {
		if err := c.limit(ctx, node, p.Name, name); err != nil {
			return err
		}
	}
	return nil
}

// limit makes the two ends of a link what Links say.
func (c *Cluster) limit(ctx context.Context, node int, port, name string) error {
	var outside, inside []string
	if c.Frames || c.Rate > 0 || c.Loss > 0 {
		outside = append(outside, "ethtool -K "+port+" tso off tx-udp-segmentation off")
		inside = append(inside, "ethtool -K "+name+" gro on", "ethtool -K "+name+" tso off tx-udp-segmentation off")
	}
	if c.Rate > 0 {
		outside = append(outside, "tc qdisc add dev "+port+" root "+c.shape(c.Buffer))
		inside = append(inside, "tc qdisc add dev "+name+" root "+c.shape(1500<<10))
	}
	if err := c.in(ctx, c.hub(), outside...); err != nil {
		return err
	}
	return c.in(ctx, node, inside...)
}

// announce has MPTCP tell peers the addresses of all devices: the side that connects makes a path to each.
func (c *Cluster) announce(ctx context.Context) error {
	if !c.MPTCP {
		return nil
	}
	for node := range c.Nodes() {
		lines := []string{fmt.Sprintf("ip mptcp limits set subflows %d add_addr_accepted %[1]d", MostDevices)}
		for device := 1; device < c.devices(); device++ {
			lines = append(lines,
				fmt.Sprintf("ip mptcp endpoint add %v dev eth%d signal", c.address(node, device), device))
		}
		if err := c.in(ctx, node, lines...); err != nil {
			return err
		}
	}
	return nil
}

// shape is the token bucket of a link: 250 us of it, at least two frames. 24 bytes a frame
// are what Ethernet adds.
func (c *Cluster) shape(queue int) string {
	burst := max(c.Rate/8/4000, 3200)
	return fmt.Sprintf("tbf rate %dbit burst %d limit %d overhead 24", c.Rate, burst, queue)
}

// lose has the switch drop packets at random; what ARP sends is spared.
func (c *Cluster) lose(ctx context.Context) error {
	if c.Loss == 0 {
		return nil
	}
	var rules strings.Builder
	for i := range c.Nodes() * c.devices() {
		fmt.Fprintf(&rules, "table netdev loss { chain p%d { type filter hook egress device \"%s\" priority 0\n"+
			"meta protocol ip numgen random mod 1000000 < %d drop\n}\n}\n", i,
			portOf(i/c.devices(), i%c.devices()), int(c.Loss*1e6))
	}
	cmd := c.Command(ctx, c.hub(), "nft", "-f", "-")
	cmd.Stdin = strings.NewReader(rules.String())
	return explain(cmd)
}

// in executes commands in a namespace.
func (c *Cluster) in(ctx context.Context, where int, commands ...string) error {
	for _, line := range commands {
		if err := explain(c.Command(ctx, where, strings.Fields(line)...)); err != nil {
			return err
		}
	}
	return nil
}

// explain runs a command whose output matters only if it fails.
func explain(cmd *exec.Cmd) error {
	cmd.WaitDelay = waitDelay
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}

// Command is a command on a node.
func (c *Cluster) Command(ctx context.Context, node int, args ...string) *exec.Cmd {
	all := []string{"--net=/proc/" + strconv.Itoa(c.spaces[node].pid()) + "/ns/net", "--"}
	if c.Pin && node < c.Nodes() {
		all = append(all, "taskset", "-c", strconv.Itoa(node%runtime.NumCPU()))
	}
	cmd := exec.CommandContext(ctx, "nsenter", append(all, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// Shell is what runs a command on a node when HOST COMMAND are added. A host is the address of a node,
// which is its host name there, too.
func (c *Cluster) Shell() []string {
	var script strings.Builder
	script.WriteString("case $1 in\n")
	for i := range c.Nodes() {
		pin := ""
		if c.Pin {
			pin = "taskset -c " + strconv.Itoa(i%runtime.NumCPU())
		}
		fmt.Fprintf(&script, "%v) pid=%d pin='%s' ;;\n", c.Address(i), c.spaces[i].pid(), pin)
	}
	script.WriteString("*) echo \"$1 is no node\" >&2; exit 1 ;;\nesac\n" +
		"host=$1; shift\n" +
		"exec nsenter --net=/proc/$pid/ns/net -- $pin unshare --uts sh -c 'hostname \"$0\" && eval " +
		"\"$*\"' \"$host\" \"$@\"\n")
	return []string{"sh", "-c", script.String(), "node"}
}

// Segments counts the TCP segments that all nodes have sent since they were made, and sent again.
func (c *Cluster) Segments() (sent, again uint64) {
	for _, s := range c.spaces[:c.Nodes()] {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/snmp", s.pid()))
		counts := tcpCounts(string(text))
		sent += counts["OutSegs"]
		again += counts["RetransSegs"]
	}
	return sent, again
}

// tcpCounts reads the lines of TCP in a snmp file of /proc: one of names, one of numbers.
func tcpCounts(text string) map[string]uint64 {
	counts := map[string]uint64{}
	var names []string
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] != "Tcp:" {
			continue
		}
		for i := range min(len(names), len(words)) {
			counts[names[i]], _ = strconv.ParseUint(words[i], 10, 64)
		}
		names = words
	}
	return counts
}

// Close takes the namespaces away.
func (c *Cluster) Close() {
	for _, s := range c.spaces {
		_ = s.pipe.Close()
		_ = s.keeper.Wait()
	}
	c.spaces = nil
}

// ErrCluster says why there is no cluster on this machine, nil if there can be one.
func ErrCluster() error {
	if os.Geteuid() != 0 {
		return errors.New("transport: network namespaces take root")
	}
	for _, name := range []string{"ip", "tc", "ethtool", "nsenter", "taskset"} {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Errorf("transport: %w; Debian has it in iproute2, ethtool or util-linux", err)
		}
	}
	return nil
}

// waitDelay is how long the output of a command may stay open after it has ended.
const waitDelay = 5 * time.Second
