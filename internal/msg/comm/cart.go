package comm

import (
	"fmt"
	"slices"

	"github.com/gopvas/gopvas/internal/msg/comm/agree"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Cart is a communicator whose ranks are the cells of a grid, in row-major order: the
// last coordinate changes fastest. In a periodic dimension the last cell is next to
// the first. The Comm of a grid that this rank is not in is nil: calls on it, and the methods of
// the grid, return ErrNoComm (wrapped).
//
// In neighbourhood operations each rank has two neighbours per dimension, in the order of the
// dimensions: first the one with the lower coordinate, then the one with the higher. Beyond a
// border it is ProcNull (MPI 4.1 section 8.6).
type Cart struct {
	Comm *Comm // not embedded: each type would list its methods anew, in every rank
	grid *grid
}

// grid is the topology of a Cart, seen by one rank.
type grid struct {
	dims      []int
	periods   []bool
	rank      int
	neighbour []int
}

// CartCreate makes the first ranks of c a grid of the given lengths, as many as it has cells.
// MPI 4.1 section 8.5.1 (MPI_Cart_create).
func CartCreate(c *Comm, dims []int, periods []bool) (*Cart, error) {
	const op = "create grid"
	p := agree.Proposal{Key: int64(c.Rank()), Call: agree.CallOf(op, dims, periods)}
	bad := checkGrid(dims, periods, c.Size())
	if bad == nil && c.Rank() >= cells(dims) {
		p.Color = Undefined
	}
	n, _, err := c.createAmongAll(p, bad)
	switch {
	case err != nil:
		return nil, Wrap(op, err)
	case n == nil:
		return &Cart{grid: &grid{}}, nil
	}
	return newCart(n, slices.Clone(dims), slices.Clone(periods)), nil
}

// CartOf returns the grid that c, which may be a copy of a Cart's communicator, has; ok tells
// whether it has one. MPI 4.1 section 8.5.5 (MPI_Topo_test, MPI_Cart_get).
func CartOf(c *Comm) (cart *Cart, ok bool) {
	g, ok := topologyOf(c).(*grid)
	if !ok {
		return nil, false
	}
	return &Cart{c, g}, true
}

// newCart makes a new communicator a Cart.
func newCart(c *Comm, dims []int, periods []bool) *Cart {
	g := &grid{dims: dims, periods: periods, rank: c.Rank()}
	for dim := range dims {
		lower, higher := g.shift(dim, 1)
		g.neighbour = append(g.neighbour, lower, higher)
	}
	c.topology = g
	return &Cart{c, g}
}

func cells(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// known returns an error if there is no grid, or this rank is not in it.
func (t *Cart) known() error {
	switch {
	case t == nil:
		return ErrNoComm
	case t.Comm.made() == nil && t.grid == nil:
		return ErrNoTopology
	}
	return t.Comm.made()
}

// shape returns the grid, one of no dimensions if there is none.
func (t *Cart) shape() *grid {
	if t == nil || t.grid == nil {
		return &grid{}
	}
	return t.grid
}

// Dims returns the length of each dimension.
func (t *Cart) Dims() []int { return slices.Clone(t.shape().dims) }

// Periods returns for each dimension whether it is periodic.
func (t *Cart) Periods() []bool { return slices.Clone(t.shape().periods) }

// Coords returns where a rank is, by dimension.
func (t *Cart) Coords(rank int) ([]int, error) {
	if err := t.known(); err != nil {
		return nil, Wrap("coordinates on grid", err)
	}
	if uint(rank) >= uint(t.Comm.size) {
		return nil, Wrap("coordinates on grid", &fault.RankError{Rank: rank, Size: t.Comm.size})
	}
	return t.grid.coords(rank), nil
}

// RankAt returns the rank that is at the given coordinates, one per dimension.
func (t *Cart) RankAt(coords ...int) (int, error) {
	const op = "rank on grid"
	if err := t.known(); err != nil {
		return ProcNull, Wrap(op, err)
	}
	if len(coords) != len(t.grid.dims) {
		return ProcNull, Wrap(op, fmt.Errorf("%d coordinates for %d dimensions", len(coords), len(t.grid.dims)))
	}
	rank := t.grid.at(coords)
	if rank == ProcNull {
		return ProcNull, Wrap(op, fmt.Errorf("%w: %v, it is %v cells large", ErrNoCell, coords, t.grid.dims))
	}
	return rank, nil
}

// Shift returns where data comes from and goes to if all ranks move theirs by so many cells in a
// dimension.
func (t *Cart) Shift(dim, cells int) (source, destination int, err error) {
	if err := t.known(); err != nil {
		return ProcNull, ProcNull, Wrap("shift on grid", err)
	}
	if uint(dim) >= uint(len(t.grid.dims)) {
		return ProcNull, ProcNull, Wrap("shift on grid",
			fmt.Errorf("dimension %d is outside 0..%d", dim, len(t.grid.dims)-1))
	}
	source, destination = t.grid.shift(dim, cells)
	return source, destination, nil
}

// Sub divides the grid into grids of fewer dimensions, those that are to be kept.
func (t *Cart) Sub(keep []bool) (*Cart, error) {
	const op = "divide grid"
	if err := t.known(); err != nil {
		return nil, Wrap(op, err)
	}
	p := agree.Proposal{Call: agree.CallOf(op, keep)}
	var bad error
	var dims []int
	var periods []bool
	if len(keep) != len(t.grid.dims) {
		bad = fmt.Errorf("%d dimensions, but %d tell whether they are kept", len(t.grid.dims), len(keep))
	} else {
		// The part is numbered by the coordinates that are not kept, the place in
		// it by those that are, both row by row.
		coords := t.grid.coords(t.Comm.rank)
		for i, d := range t.grid.dims {
			if keep[i] {
				dims, periods = append(dims, d), append(periods, t.grid.periods[i])
				p.Key = p.Key*int64(d) + int64(coords[i])
			} else {
				p.Color = p.Color*int64(d) + int64(coords[i])
			}
		}
	}
	n, _, err := t.Comm.createAmongAll(p, bad)
	if err != nil {
		return nil, Wrap(op, err)
	}
	return newCart(n, dims, periods), nil
}

func (g *grid) neighbors() (sources, destinations []int) { return g.neighbour, g.neighbour }

// mirror: the lower neighbour of a rank has that rank as its higher one. If both are
// the same rank the order of messages would not tell.
func (g *grid) mirror(i int) int { return i ^ 1 }

func (g *grid) coords(rank int) []int {
	coords := make([]int, len(g.dims))
	for i := len(coords) - 1; i >= 0; i-- {
		coords[i] = rank % g.dims[i]
		rank /= g.dims[i]
	}
	return coords
}

// at returns the rank at these coordinates, ProcNull if there is none.
func (g *grid) at(coords []int) int {
	rank := 0
	for i, d := range g.dims {
		x := coords[i]
		if g.periods[i] {
			x = (x%d + d) % d
		}
		if x < 0 || x >= d {
			return ProcNull
		}
		rank = rank*d + x
	}
	return rank
}

func (g *grid) shift(dim, cells int) (source, destination int) {
	coords := g.coords(g.rank)
	x, d := coords[dim], g.dims[dim]
	// So far that all that is beyond a border stays there, and sums do not overflow.
	if g.periods[dim] {
		cells %= d
	} else {
		cells = max(-d, min(d, cells))
	}
	coords[dim] = x - cells
	source = g.at(coords)
	coords[dim] = x + cells
	return source, g.at(coords)
}
