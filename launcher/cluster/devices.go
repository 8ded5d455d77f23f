package cluster

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/node/job"
)

// Devices. A node may have several network devices. The device of a number of one node reaches
// that of the same number of the others: they are in one network.

// namedDevices finds the devices that the user has named on each node: by their name, or by the
// network in which they have an address. bad is the node that err is about.
func namedDevices(nodes []*ready, names []string) (devices [][]netip.Addr, bad int, err error) {
	if len(names) > job.MaxDevices {
		return nil, 0, fmt.Errorf("%d devices are named; a node uses at most %d", len(names), job.MaxDevices)
	}
	devices = make([][]netip.Addr, len(nodes))
	for i, r := range nodes {
		for _, name := range names {
			a := r.named(name)
			if !a.IsValid() {
				return nil, i, fmt.Errorf("it has no device %s with an address for other nodes; it has %s", name,
					r.list())
			}
			if slices.Contains(devices[i], a) {
				return nil, i, fmt.Errorf("--devices names %v twice, the second time as %s", a, name)
			}
			devices[i] = append(devices[i], a)
		}
	}
	return devices, -1, nil
}

// named returns the address of a device, or that in a network.
func (r *ready) named(name string) (none netip.Addr) {
	if network, err := netip.ParsePrefix(name); err == nil {
		return r.in(network)
	}
	for _, want4 := range []bool{true, false} {
		for i, a := range r.Addresses {
			if i < len(r.Names) && r.Names[i] == name && a.Addr().Is4() == want4 {
				return a.Addr()
			}
		}
	}
	return none
}

// list names the devices for a message.
func (r *ready) list() string {
	var list []string
	for i, a := range r.Addresses {
		if i < len(r.Names) {
			list = append(list, r.Names[i]+" "+a.String())
		}
	}
	return strings.Join(list, ", ")
}

// furtherDevices returns the addresses of all devices that may reach the other nodes, the given
// ones first. A further device of each node is in one network, with addresses of their own; it
// may turn out not to reach the others, and is not used then.
func furtherDevices(nodes []*ready, hosts []netip.Addr, within netip.Prefix) [][]netip.Addr {
	devices := make([][]netip.Addr, len(nodes))
	for i := range nodes {
		devices[i] = []netip.Addr{hosts[i]}
	}
	if hosts[0].IsLoopback() {
		return devices
	}
	for _, a := range nodes[0].Addresses {
		network := a.Masked()
		if a.Addr().IsLoopback() || within.IsValid() && !within.Contains(a.Addr()) ||
			len(devices[0]) == job.MaxDevices {
			continue
		}
		var next []netip.Addr
		for i, r := range nodes {
			b := r.in(network)
			if !b.IsValid() || slices.Contains(next, b) || r.uses(devices[i], b) {
				break
			}
			next = append(next, b)
		}
		if len(next) == len(nodes) {
			for i, b := range next {
				devices[i] = append(devices[i], b)
			}
		}
	}
	return devices
}

// uses tells whether one of the addresses is on the device of b.
func (r *ready) uses(list []netip.Addr, b netip.Addr) bool {
	return slices.ContainsFunc(list, func(a netip.Addr) bool {
		return a == b || r.device(a) == r.device(b) && r.device(a) != ""
	})
}

// device returns the name of the device that has an address, "" if it is not known.
func (r *ready) device(a netip.Addr) string {
	i := slices.IndexFunc(r.Addresses, func(p netip.Prefix) bool { return p.Addr() == a })
	if i < 0 || i >= len(r.Names) {
		return ""
	}
	return r.Names[i]
}
