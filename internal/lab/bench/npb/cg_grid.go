package npb

import (
	"math/bits"

	"github.com/gopvas/gopvas/mpi"
)

// A span is a range of rows or columns of the matrix, [first, end).
type span struct{ first, end int }

func (s span) len() int { return s.end - s.first }

// A cgGrid is how the matrix is dealt out. The grid of ranks has as many columns as
// rows, or twice as many (fold). A rank has the columns of the matrix of its column of
// the grid; the rows of the matrix in a row of the grid are those columns that as many
// columns of the grid have as fold says. So what the ranks of a row of the grid have
// added up is what the ranks of certain columns need next, and each has a partner to
// exchange it with.
type cgGrid struct {
	world   *mpi.Comm
	n       int // order of the matrix
	across  int // columns of the grid
	r, c    int // the place of this rank
	fold    int // 1 or 2
	partner int

	row    *mpi.Comm // all ranks of this row
	pair   *mpi.Comm // fold ranks side by side in it
	others *mpi.Comm // those of the row that have the same place in their pairs

	sum    *mpi.Op[float64]
	half   []float64 // with fold 2: the part of the row's sums that this rank adds up
	halves []int     // lengths of the parts
}

func newCGGrid(world *mpi.Comm, n int) (*cgGrid, error) {
	g := placeInGrid(n, world.Rank(), world.Size())
	g.world, g.sum = world, mpi.Sum[float64]()
	var err error
	if g.row, err = world.Split(g.r, g.c); err != nil {
		return nil, err
	}
	if g.pair, err = g.row.Split(g.c/g.fold, g.c); err != nil {
		return nil, err
	}
	g.others, err = g.row.Split(g.c%g.fold, g.c)
	return &g, err
}

// placeInGrid finds the place of a rank.
func placeInGrid(n, rank, ranks int) cgGrid {
	power := bits.Len(uint(ranks)) - 1
	g := cgGrid{n: n, across: 1 << ((power + 1) / 2), fold: 1 + power%2}
	g.r, g.c = rank/g.across, rank%g.across
	g.partner = g.c/g.fold*g.across + g.r*g.fold + g.c%g.fold
	for i := range g.fold {
		g.halves = append(g.halves, g.part(g.r*g.fold+i).len())
	}
	g.half = make([]float64, g.halves[g.c%g.fold])
	return g
}

// part returns the columns of the matrix that a column of the grid has.
func (g *cgGrid) part(column int) span {
	return span{g.n * column / g.across, g.n * (column + 1) / g.across}
}

// columns returns the columns of this rank's block of the matrix.
func (g *cgGrid) columns() span { return g.part(g.c) }

// rows returns its rows.
func (g *cgGrid) rows() span {
	return span{g.part(g.r * g.fold).first, g.part(g.r*g.fold + g.fold - 1).end}
}

func (g *cgGrid) own() span { return g.columns() }

func (g *cgGrid) vector(n int) []float64 { return make([]float64, n) }

// ready has nothing to do: the columns are own elements.
func (g *cgGrid) ready() error { return nil }
