package comm

import (
	"errors"
	"slices"
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

// neighbors returns what topology.neighbors does, or an error if there is none.
func (c *Comm) neighbors() (sources, destinations []int, err error) {
	if err := c.made(); err != nil {
		return nil, nil, err
	}
	if c.topology == nil {
		return nil, nil, ErrNoTopology
	}
	sources, destinations = c.topology.neighbors()
	return sources, destinations, nil
}

// NeighborRanks returns the ranks that this rank receives from and sends to in neighbourhood
// operations, in their order.
func (c *Comm) NeighborRanks() (sources, destinations []int, err error) {
	sources, destinations, err = c.neighbors()
	return slices.Clone(sources), slices.Clone(destinations), Wrap("neighbors", err)
}

// topologyOf returns the topology of c, nil if it has none.
func (c *Comm) topologyOf() topology {
	if c == nil {
		return nil
	}
	return c.topology
}
