package mpi

import "github.com/gopvas/gopvas/internal/msg/comm"

// Comparison is how two communicators, or two groups, are like.
type Comparison int

// The results of Comm.Compare and Group.Compare.
const (
	Identical = Comparison(comm.Identical) // the same; of groups: the same ranks in the same order
	Congruent = Comparison(comm.Congruent) // different communicators of the same ranks in the same order
	Similar   = Comparison(comm.Similar)   // the same ranks in another order
	Unequal   = Comparison(comm.Unequal)
)

// String returns the name of the result, such as "congruent".
func (c Comparison) String() string { return comm.Comparison(c).String() }

// Compare tells how the communicator is like another of this rank. It is local.
//
// MPI 4.1 section 7.4.1 (MPI_Comm_compare).
func (c *Comm) Compare(other *Comm) Comparison {
	return Comparison(c.inner().Compare((*comm.Comm)(other)))
}

// SetName gives the communicator a name for messages to people, on this rank. "" is
// none. It is local.
//
// MPI 4.1 section 7.8 (MPI_Comm_set_name).
func (c *Comm) SetName(name string) { c.inner().SetName(name) }

// Name returns the name given on this rank; that of the world is "world" at first,
// those of others "".
//
// MPI 4.1 section 7.8 (MPI_Comm_get_name).
func (c *Comm) Name() string { return c.inner().Name() }

// ID returns a number of the communicator that no other one of the job has before this
// one is freed. All members have the same.
func (c *Comm) ID() uint32 { return c.inner().ID() }

// Algorithm returns the name of the algorithm of the last collective operation on the
// communicator, but for those of neighbours; to be called by the goroutine that made
// the call. pvasrun --coll chooses others.
func (c *Comm) Algorithm() string { return c.inner().Algorithm() }

// OneAddressSpace tells whether the ranks of the communicator share one address space.
func (c *Comm) OneAddressSpace() bool { return c.inner().OneAddressSpace() }

// Partition returns the part of the shared address space, from base on and of size
// bytes, that belongs to this rank: its image, stack and arena lie there. ok is
// false if the ranks do not share an address space; a job of one started without
// pvasrun has no partition either.
func (c *Comm) Partition() (base, size uint64, ok bool) { return c.inner().Partition() }

// NeighborRanks returns the ranks that this rank receives from and sends to in
// neighbourhood operations, in their order. ProcNull stands for a neighbour that a border
// leaves out. It is an error if the communicator has no topology.
func (c *Comm) NeighborRanks() (sources, destinations []int, err error) {
	return c.inner().NeighborRanks()
}

// Replaces tells whether this rank was started in the place of one that had failed (pvasrun --respawn). Its world is
// that of the ranks started with it, mostly of itself alone. The old place is its rank in what Survive passes.
func (c *Comm) Replaces() bool { return comm.Replaces(c.inner()) }
