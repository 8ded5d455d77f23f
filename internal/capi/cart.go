package capi

import (
	"github.com/gopvas/gopvas/internal/msg/comm"
)

// Topo_test is MPI_Topo_test.
func (p *Process) Topo_test(on *communicator, status Ref) error {
	kind := UNDEFINED
	if _, ok := comm.CartOf(on.c); ok {
		kind = CART
	} else if _, ok := comm.GraphOf(on.c); ok {
		kind = GRAPH
	} else if _, ok := comm.DistGraphOf(on.c); ok {
		kind = DIST_GRAPH
	}
	status.Set(kind)
	return nil
}

// cart returns the grid of a communicator.
func (p *Process) cart(c Comm) (*comm.Cart, error) {
	on, err := p.comm(c)
	if err != nil {
		return nil, err
	}
	grid, ok := comm.CartOf(on.c)
	if !ok {
		return nil, fail(ERR_TOPOLOGY, "%s has no Cartesian topology", on.title())
	}
	return grid, nil
}

// bools are n ints that mean true or false.
func bools(a Ints, n int) []bool {
	all := make([]bool, n)
	for i := range all {
		all[i] = a.At(i) != 0
	}
	return all
}

// boolInt is a bool as C has it.
func boolInt(v bool) int {
	if v {
		return 1
	}
	return 0
}

// gridOf checks the arguments that describe a grid.
func gridOf(n int, dims, periods Ints) (lengths []int, periodic []bool, err error) {
	if n < 0 {
		return nil, nil, fail(ERR_DIMS, "%d dimensions", n)
	}
	if n > 0 && (dims.Nil() || periods.Nil()) {
		return nil, nil, fail(ERR_ARG, "the dimensions or periods are a null pointer")
	}
	return dims.Copy(n), bools(periods, n), nil
}

// Cart_create is MPI_Cart_create.
func (p *Process) Cart_create(c Comm, n int, dims, periods Ints, reorder int, out Ptr[Comm]) error {
	on, err := p.intra(c)
	if err != nil {
		return err
	}
	lengths, periodic, err := gridOf(n, dims, periods)
	if err != nil {
		return err
	}
	grid, err := comm.CartCreate(on.c, lengths, periodic)
	if grid == nil {
		return p.made(nil, classed(err, ERR_DIMS), on, out)
	}
	return p.made(grid.Comm, nil, on, out)
}

// Cart_get is MPI_Cart_get.
func (p *Process) Cart_get(grid *comm.Cart, n int, dims, periods, coords Ints) error {
	at, err := grid.Coords(grid.Comm.Rank())
	if err != nil {
		return err
	}
	fill(dims, grid.Dims(), n)
	fill(coords, at, n)
	periodic := grid.Periods()
	for i := range min(n, len(periodic)) {
		periods.Set(i, boolInt(periodic[i]))
	}
	return nil
}

// Cart_rank is MPI_Cart_rank.
func (p *Process) Cart_rank(grid *comm.Cart, coords Ints, rank Ref) error {
	n := len(grid.Dims())
	if n > 0 && coords.Nil() {
		return fail(ERR_ARG, "the coordinates are a null pointer")
	}
	at, err := grid.RankAt(coords.Copy(n)...)
	if err != nil {
		return err
	}
	rank.Set(at)
	return nil
}

// Cart_coords is MPI_Cart_coords.
func (p *Process) Cart_coords(grid *comm.Cart, rank, n int, coords Ints) error {
	at, err := grid.Coords(rank)
	if err != nil {
		return err
	}
	if n < len(at) {
		return fail(ERR_DIMS, "%d coordinates have room, the grid has %d dimensions", n, len(at))
	}
	fill(coords, at, n)
	return nil
}

// Cart_shift is MPI_Cart_shift.
func (p *Process) Cart_shift(grid *comm.Cart, dim, cells int, source, dest Ref) error {
	if n := len(grid.Dims()); dim < 0 || dim >= n {
		return fail(ERR_DIMS, "dimension %d is outside of 0..%d", dim, n-1)
	}
	from, to, err := grid.Shift(dim, cells)
	if err != nil {
		return err
	}
	source.Set(peerOut(from))
	dest.Set(peerOut(to))
	return nil
}

// Cart_sub is MPI_Cart_sub.
func (p *Process) Cart_sub(c Comm, keep Ints, out Ptr[Comm]) error {
	grid, err := p.cart(c)
	if err != nil {
		return err
	}
	on, _ := p.comm(c)
	part, err := grid.Sub(bools(keep, len(grid.Dims())))
	if err != nil {
		return err
	}
	return p.made(part.Comm, nil, on, out)
}

// Cart_map is MPI_Cart_map: ranks are not reordered.
func (p *Process) Cart_map(c Comm, n int, dims, periods Ints, rank Ref) error {
	on, err := p.intra(c)
	if err != nil {
		return err
	}
	lengths, _, err := gridOf(n, dims, periods)
	if err != nil {
		return err
	}
	cells := 1
	for _, d := range lengths {
		if d <= 0 {
			return fail(ERR_DIMS, "a dimension is %d cells long", d)
		}
		if cells, err = product(cells, d); err != nil {
			return fail(ERR_DIMS, "%v", err)
		}
	}
	return placed(on, cells, rank)
}

// placed tells the rank that this one would have among the first n.
func placed(on *communicator, n int, rank Ref) error {
	if n > on.c.Size() {
		return fail(ERR_DIMS, "%d nodes for %d ranks", n, on.c.Size())
	}
	if own := on.c.Rank(); own < n {
		rank.Set(own)
	} else {
		rank.Set(UNDEFINED)
	}
	return nil
}

// Dims_create is MPI_Dims_create.
func (p *Process) Dims_create(nodes, n int, dims Ints) error {
	if n < 0 {
		return fail(ERR_DIMS, "%d dimensions", n)
	}
	lengths := dims.Copy(n)
	for _, d := range lengths {
		if d < 0 {
			return fail(ERR_DIMS, "a dimension is %d cells long", d)
		}
	}
	if err := comm.DimsCreate(nodes, lengths); err != nil {
		return classed(err, ERR_DIMS)
	}
	fill(dims, lengths, n)
	return nil
}
