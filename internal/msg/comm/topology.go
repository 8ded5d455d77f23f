package comm

import (
	"errors"
	"slices"
	"sync/atomic"
)

// topology is what a communicator knows about the neighbours of its ranks. It does not
// change, so copies of a communicator share it.
type topology interface {
	// neighbors returns the ranks that this rank receives from and sends to in
	// neighbourhood operations, in their order, not to be changed. ProcNull stands
	// for a neighbour that a border leaves out.
	neighbors() (sources, destinations []int)

	// mirror returns which of its sources a destination knows this rank as: what
	// goes to destination i comes from that rank's source mirror(i). It is -1 if
	// the order tells: the k-th of the messages to a rank is from the k-th of the
	// sources there that are this rank.
	mirror(i int) int
}

// ErrNoTopology means that a neighbourhood operation was called without neighbours.
var ErrNoTopology = errors.New("the communicator has no neighbours: " +
	"use one that was made with a grid or a graph")

// neighborhood is what a communicator has of its topology.
type neighborhood struct {
	topology topology              // nil: none
	edges    atomic.Pointer[edges] // nil: none yet, or in use
}

// neighbors returns what topology.neighbors does, or an error if there is none.
func (n *neighborhood) neighbors() (sources, destinations []int, err error) {
	if n.topology == nil {
		return nil, nil, ErrNoTopology
	}
	sources, destinations = n.topology.neighbors()
	return sources, destinations, nil
}

// NeighborRanks returns the ranks that this rank receives from and sends to in neighbourhood
// operations, in their order.
func (c *Comm) NeighborRanks() (sources, destinations []int, err error) {
	if err = c.made(); err == nil {
		sources, destinations, err = c.neighbors()
	}
	return slices.Clone(sources), slices.Clone(destinations), Wrap("neighbors", err)
}

// topologyOf returns the topology of c, nil if it has none.
func topologyOf(c *Comm) topology {
	if c == nil {
		return nil
	}
	return c.topology
}
