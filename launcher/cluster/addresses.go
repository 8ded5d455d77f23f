package cluster

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/fate"
)

// chooseAddresses decides by which addresses the ranks of each node are reached. The first of a
// node is chosen in this order: one in the network that the user has named; the loopback, if all
// nodes are one machine; one in a network that all nodes are in, first of all the one that ssh
// has used. Without such a network each node has the address that ssh has used, or else its
// first. The others are those of further devices: see furtherDevices. The loopback is left out
// where the nodes are several machines.
func (l *leader) chooseAddresses(agents []*remote) ([][]netip.Addr, error) {
	lists := readies(agents)
	if !oneMachine(lists) {
		for i, r := range lists {
			lists[i] = r.withoutLoopback()
		}
	}
	if l.nodes.Devices != nil {
		devices, bad, err := namedDevices(lists, l.nodes.Devices)
		if err != nil {
			return nil, &NodeError{agents[bad].name, err, fate.CodeError}
		}
		return devices, nil
	}
	hosts, bad := chooseHosts(lists, l.nodes.Network)
	if bad < 0 {
		return furtherDevices(lists, hosts, l.nodes.Network), nil
	}
	err := errors.New("it has no address but that of its loopback")
	if l.nodes.Network.IsValid() {
		err = fmt.Errorf("it has no address in %v, but %v", l.nodes.Network, lists[bad].Addresses)
	}
	return nil, &NodeError{agents[bad].name, err, fate.CodeError}
}

// readies are the descriptions of nodes.
func readies(agents []*remote) (lists []*ready) {
	for _, a := range agents {
		lists = append(lists, a.ready)
	}
	return lists
}

// chooseHosts returns an address for each node, or the number of a node without one.
func chooseHosts(nodes []*ready, network netip.Prefix) (hosts []netip.Addr, bad int) {
	hosts = make([]netip.Addr, len(nodes))
	if oneMachine(nodes) && !network.IsValid() {
		return slices.Repeat([]netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}, len(nodes)), -1
	}
	if !network.IsValid() {
		network = commonNetwork(nodes)
	}
	for i, r := range nodes {
		if hosts[i] = r.pick(network); !hosts[i].IsValid() {
			return nil, i
		}
	}
	return hosts, -1
}

// oneMachine tells whether all nodes are one machine, so that its loopback reaches them.
func oneMachine(nodes []*ready) bool {
	return !slices.ContainsFunc(nodes, func(r *ready) bool { return r.Network != nodes[0].Network })
}

// withoutLoopback is the node with those addresses alone that may reach another machine.
func (r *ready) withoutLoopback() *ready {
	far := *r
	far.Addresses, far.Names = nil, nil
	for i, a := range r.Addresses {
		if a.Addr().IsLoopback() {
			continue
		}
		far.Addresses = append(far.Addresses, a)
		if i < len(r.Names) {
			far.Names = append(far.Names, r.Names[i])
		}
	}
	if r.reached().IsLoopback() {
		far.Below = sys.Stream{}
	}
	return &far
}

// commonNetwork returns a network that all nodes have an address in; it is not valid if
// there is none. One that ssh has used comes first.
func commonNetwork(nodes []*ready) netip.Prefix {
	var candidates []netip.Prefix
	for _, r := range nodes {
		for _, a := range r.Addresses {
			switch {
			case a.Addr() == r.reached():
				candidates = slices.Insert(candidates, 0, a.Masked())
			case !a.Addr().IsLoopback():
				candidates = append(candidates, a.Masked())
			}
		}
	}
	for _, n := range candidates {
		if !slices.ContainsFunc(nodes, func(r *ready) bool { return !r.in(n).IsValid() }) {
			return n
		}
	}
	return netip.Prefix{}
}

// reached is the address by which ssh has reached the node, or from which its agent has reached the leader. It is not
// valid if neither is known.
func (r *ready) reached() netip.Addr { return r.Below.Here.Addr() }

// in returns the node's address in a network.
func (r *ready) in(network netip.Prefix) (none netip.Addr) {
	for _, a := range r.Addresses {
		if network.Contains(a.Addr()) {
			return a.Addr()
		}
	}
	return none
}

// pick returns the node's address in a network, or if that is not valid the best there is.
func (r *ready) pick(network netip.Prefix) (none netip.Addr) {
	if network.IsValid() {
		return r.in(network)
	}
	if reached := r.reached(); reached.IsValid() {
		return reached
	}
	for _, a := range r.Addresses {
		if !a.Addr().IsLoopback() {
			return a.Addr()
		}
	}
	return none
}
