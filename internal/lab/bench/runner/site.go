package runner

import "github.com/gopvas/gopvas/launcher/cluster"

// A Site is the nodes that the jobs of a benchmark run on.
type Site struct {
	Nodes cluster.Nodes
	// Of nodes that are made on this machine.
	Lead           []string // what a command begins with that is to run on the first node; nil: there are no such nodes
	Oversubscribed bool     // ranks share CPUs, as far as is known
}

// MPTCP is the peer of Exchange that is Open MPI with an MPTCP connection between two ranks, by the
// first device. The kernel divides what goes by it among the devices.
const MPTCP = "mptcp"

// mptcpize runs a program whose TCP connections are MPTCP's.
const mptcpize = "mptcpize"

// ExchangePeers are the names of the peers of Exchange.
func ExchangePeers() []string { return []string{"openmpi", MPTCP} }
