package mpi

import (
	"errors"
	"net/netip"
	"slices"
	"testing"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// overNodes runs ranks as goroutines, which take one another for ranks of several nodes: the number of each one's is
// given. Messages between nodes go by a network without memory, and requests of windows by UDP.
func overNodes(t testing.TB, nodes []int, f func(*Comm) error) {
	t.Helper()
	root := jobtest.Create(t, job.Config{Ranks: len(nodes), BTL: job.BTLSM, CPUs: 2, Nodes: nodes,
		Host: netip.MustParseAddr("127.0.0.1"), Key: job.Key{1}, Settings: job.Settings{Spin: testkit.Spin}}).Root()
	w := mem.New(root, mem.Options{})
	jobtest.Ranks(t, root, func(rank int) error {
		var networks []comm.Network
		if slices.ContainsFunc(nodes, func(node int) bool { return node != nodes[rank] }) {
			networks = append(networks, comm.Network{Messages: w.Network(rank),
				Reaches: func(peer int) bool { return nodes[peer] != nodes[rank] }})
		}
		c := (*Comm)(comm.NewWorld(root, rank, wrapModule(w.Module(rank)), comm.Settings{}, operatorNames, networks...))
		return errors.Join(f(c), c.Finalize())
	})
}

func TestBusyWindowsOfNodes(t *testing.T) {
	if testkit.Race {
		t.Skip("locks lie in mapped memory, and answers come by sockets, which the race detector does not see")
	}
	for _, nodes := range [][]int{{0, 1}, {0, 0, 1}, {0, 1, 2, 1}} {
		overNodes(t, nodes, busyWindows)
	}
}
