package mpi

import "github.com/gopvas/gopvas/internal/comm"

// Cart is a communicator whose ranks are the cells of a grid, in row-major order: the
// last coordinate changes fastest. In a periodic dimension the last cell is next to
// the first. Its methods besides those of Comm, which package comm describes, are
//
//	Dims, Periods, Coords, RankAt, Shift, Sub
//
// In neighbourhood operations each rank has two neighbours per dimension, first the
// one with the lower coordinate and then the one with the higher, in the order of the
// dimensions; beyond a border it is ProcNull (MPI 4.1 section 8.6).
type Cart = comm.Cart

// DistGraph is a communicator whose ranks are the nodes of a directed graph. Each rank
// knows its own edges only, which its method Neighbors returns. An edge may be there
// several times, and may lead from a rank to itself.
type DistGraph = comm.DistGraph

// Neighbors are the edges of one rank: those into it, by the ranks they come from, and
// those out of it, by the ranks they lead to, with their weights. What the weights mean
// is up to the program: nothing here depends on them.
type Neighbors = comm.Neighbors

// Edge is an edge of a graph.
type Edge = comm.Edge

// CartCreate makes the first ranks of c a grid of the given lengths, as many as it has
// cells. They have the same order in it. The other ranks get a grid whose Comm is nil, and no
// error: calls on it return ErrNoComm. It is collective, as Comm.Dup; all ranks pass the same. Ranks are never
// reordered.
//
// MPI 4.1 section 8.5.1 (MPI_Cart_create).
func CartCreate(c *Comm, dims []int, periods []bool) (*Cart, error) {
	return comm.CartCreate(c, dims, periods)
}

// CartOf returns the grid that c, which may be a copy of a Cart's communicator, has; ok
// tells whether it has one.
//
// MPI 4.1 section 8.5.5 (MPI_Topo_test, MPI_Cart_get).
func CartOf(c *Comm) (cart *Cart, ok bool) { return comm.CartOf(c) }

// DimsCreate divides a number of ranks into the dimensions of a grid: it replaces the
// zeros in dims so that the product of all is nodes. The new ones are as close to one
// another as can be, and do not grow from the first to the last. The error says so if
// the dimensions that are given do not divide nodes. It is local.
//
// MPI 4.1 section 8.5.2 (MPI_Dims_create).
func DimsCreate(nodes int, dims []int) error { return comm.DimsCreate(nodes, dims) }

// DistGraphCreateAdjacent returns a communicator of the ranks of c, in the same order,
// as a graph of which each rank gives its own edges. An edge from a to b is given by
// both, as often as it is there: that is not checked, and neighbourhood operations wait
// forever if it is not so. It is collective, as Comm.Dup. Ranks are never reordered.
//
// MPI 4.1 section 8.5.4 (MPI_Dist_graph_create_adjacent).
func DistGraphCreateAdjacent(c *Comm, own Neighbors) (*DistGraph, error) {
	return comm.DistGraphCreateAdjacent(c, own)
}

// DistGraphCreate returns a communicator of the ranks of c, in the same order, as a
// graph of which each rank gives any edges, once: not only its own, and perhaps none.
// The neighbours of a rank are then in the order of the ranks that have given the
// edges, and of their lists. It is collective, as Comm.Dup. Ranks are never reordered.
//
// All edges pass through all ranks, 16 bytes each: for large graphs whose ranks know
// their own edges use DistGraphCreateAdjacent.
//
// MPI 4.1 section 8.5.4 (MPI_Dist_graph_create).
func DistGraphCreate(c *Comm, edges []Edge) (*DistGraph, error) {
	return comm.DistGraphCreate(c, edges)
}

// DistGraphOf returns the graph that c, which may be a copy of a DistGraph's
// communicator, has; ok tells whether it has one.
//
// MPI 4.1 section 8.5.5 (MPI_Topo_test).
func DistGraphOf(c *Comm) (g *DistGraph, ok bool) { return comm.DistGraphOf(c) }
