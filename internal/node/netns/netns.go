package netns

import (
	"context"
	"fmt"
	"net/netip"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// waitDelay is how long the output of a command may stay open after its end.
const waitDelay = 5 * time.Second

// IP has ip carry out commands, such as "link set sw up", in the network of a process.
func IP(ctx context.Context, pid int, commands ...string) error {
	cmd := inside(ctx, pid, "ip", "-batch", "-")
	cmd.Stdin = strings.NewReader(strings.Join(commands, "\n") + "\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("netns: ip in the network of process %d: %w: %s", pid, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// inside is a command in the network of a process.
func inside(ctx context.Context, pid int, argv ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "nsenter", append([]string{"-t", strconv.Itoa(pid), "-n"}, argv...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt from the terminal comes by ctx
	cmd.WaitDelay = waitDelay
	return cmd
}

// bypass switches off br_netfilter in the network of a process. It would pass the frames of a switch through
// the IP filters. A real switch has none, and they take CPU from the nodes. What cannot be set stays.
func bypass(ctx context.Context, hub int) {
	const script = "for f in /proc/sys/net/bridge/bridge-nf-call-*; do echo 0 > $f; done"
	_ = inside(ctx, hub, "sh", "-c", script).Run()
}

// A Port is a link between a switch and a node.
type Port struct {
	Name    string // of its end at the switch
	Pid     int    // a process of the node
	Device  string // name of its end at the node
	Address netip.Prefix
}

// hardware is the hardware address of a port: its IP address makes it different from others.
func (p Port) hardware() string {
	ip := p.Address.Addr().As4()
	return fmt.Sprintf("02:00:%02x:%02x:%02x:%02x", ip[0], ip[1], ip[2], ip[3])
}

// Connect makes a switch in the network of a process, and its ports, which have IPv4 addresses. Each node gets the
// hardware addresses of all others. The kernel keeps at most 1,024 learned ones (gc_thresh3) for all networks of a
// machine. 33 nodes that all talk need more, and some would wait for seconds. A node that has gone is silent.
func Connect(ctx context.Context, hub int, name string, ports ...Port) error {
	commands := []string{"link add name " + name + " type bridge", "link set " + name + " up"}
	for _, p := range ports {
		if !p.Address.Addr().Is4() {
			return fmt.Errorf("netns: port %s: %v is no IPv4 address", p.Name, p.Address)
		}
		commands = append(commands,
			fmt.Sprintf("link add name %s type veth peer name %s address %s netns %d",
				p.Name, p.Device, p.hardware(), p.Pid),
			fmt.Sprintf("link set %s master %s up", p.Name, name))
	}
	if err := IP(ctx, hub, commands...); err != nil {
		return err
	}
	bypass(ctx, hub)
	errs := make([]error, len(ports))
	var all sync.WaitGroup
	for i, p := range ports {
		all.Go(func() {
			commands := []string{"link set lo up", fmt.Sprintf("addr add %v dev %s", p.Address, p.Device),
				"link set " + p.Device + " up"}
			for _, o := range ports {
				if o.Address != p.Address {
					commands = append(commands, fmt.Sprintf("neigh replace %v lladdr %s dev %s nud permanent",
						o.Address.Addr(), o.hardware(), p.Device))
				}
			}
			errs[i] = IP(ctx, p.Pid, commands...)
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
