package mpi

import "github.com/gopvas/gopvas/internal/msg/comm"

// Cart is a communicator whose ranks are the cells of a grid, in row-major order: the
// last coordinate changes fastest. In a periodic dimension the last cell is next to
// the first.
//
// In neighbourhood operations each rank has two neighbours per dimension, in the order of
// the dimensions. The one with the lower coordinate comes first. Beyond a border the neighbour
// is ProcNull (MPI 4.1 section 8.6).
//
// Functions take its communicator: Send(cart.Comm, buf, next, tag).
type Cart struct {
	*Comm
	cart *comm.Cart
}

// newCart is nil for nil.
func newCart(t *comm.Cart) *Cart {
	if t == nil {
		return nil
	}
	return &Cart{(*Comm)(t.Comm), t}
}

func (t *Cart) inner() *comm.Cart {
	if t == nil {
		return nil
	}
	if t.cart == nil { // nobody has made it
		return &comm.Cart{Comm: t.Comm.inner()}
	}
	return t.cart
}

// CartCreate makes the first ranks of c a grid of the given lengths, as many as it has
// cells. They have the same order in it. The other ranks get a grid whose Comm is nil, and no
// error: calls on it return ErrNoComm. It is collective, as Comm.Dup; all ranks pass the same. Ranks are never
// reordered.
//
// MPI 4.1 section 8.5.1 (MPI_Cart_create).
func CartCreate(c *Comm, dims []int, periods []bool) (*Cart, error) {
	t, err := comm.CartCreate(c.inner(), dims, periods)
	return newCart(t), err
}

// CartOf returns the grid that c, which may be a copy of a Cart's communicator, has; ok
// tells whether it has one.
//
// MPI 4.1 section 8.5.5 (MPI_Topo_test, MPI_Cart_get).
func CartOf(c *Comm) (cart *Cart, ok bool) {
	t, ok := comm.CartOf(c.inner())
	return newCart(t), ok
}

// DimsCreate divides a number of ranks into the dimensions of a grid: it replaces the
// zeros in dims so that the product of all is nodes. The new ones are as close to one
// another as can be, and do not grow from the first to the last. The error says so if
// the dimensions that are given do not divide nodes. It is local.
//
// MPI 4.1 section 8.5.2 (MPI_Dims_create).
func DimsCreate(nodes int, dims []int) error { return comm.DimsCreate(nodes, dims) }

// Dims returns the length of each dimension.
//
// MPI 4.1 section 8.5.5 (MPI_Cart_get).
func (t *Cart) Dims() []int { return t.inner().Dims() }

// Periods returns for each dimension whether it is periodic.
//
// MPI 4.1 section 8.5.5 (MPI_Cart_get).
func (t *Cart) Periods() []bool { return t.inner().Periods() }

// Coords returns where a rank is, by dimension. The error wraps a *RankError if there
// is no such rank.
//
// MPI 4.1 section 8.5.5 (MPI_Cart_coords).
func (t *Cart) Coords(rank int) ([]int, error) { return t.inner().Coords(rank) }

// RankAt returns the rank that is at the given coordinates, one per dimension. In
// periodic dimensions all numbers stand for a place; in others it is an error if the
// coordinate is outside.
//
// MPI 4.1 section 8.5.5 (MPI_Cart_rank).
func (t *Cart) RankAt(coords ...int) (int, error) { return t.inner().RankAt(coords...) }

// Shift returns where data comes from and goes to if all ranks move theirs by so many
// cells in a dimension: source and destination for Sendrecv. Beyond a border it is
// ProcNull.
//
// MPI 4.1 section 8.5.6 (MPI_Cart_shift).
func (t *Cart) Shift(dim, cells int) (source, destination int, err error) {
	return t.inner().Shift(dim, cells)
}

// Sub divides the grid into grids of fewer dimensions, those that are to be kept: each
// rank gets the one it is in. keep has an element per dimension. It is collective, as
// Dup; all ranks pass the same.
//
// MPI 4.1 section 8.5.7 (MPI_Cart_sub).
func (t *Cart) Sub(keep []bool) (*Cart, error) {
	part, err := t.inner().Sub(keep)
	return newCart(part), err
}
