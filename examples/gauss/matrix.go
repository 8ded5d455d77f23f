package main

import (
	"math"

	"github.com/gopvas/gopvas/mpi"
)

// An axis says which rows, or columns, a rank has: those of every ranks-th block.
type axis struct {
	n, width int
	ranks    int // along this side of the grid
	at       int // this one
}

// blocks is the number of blocks of the whole matrix.
func (a axis) blocks() int { return (a.n + a.width - 1) / a.width }

// mine tells whether the rank has a block.
func (a axis) mine(block int) bool { return block%a.ranks == a.at }

// before is how many rows the rank has in the blocks before one: where that begins here.
func (a axis) before(block int) int {
	whole := (block + a.ranks - 1 - a.at) / a.ranks * a.width
	return min(whole, a.count())
}

// count is how many rows the rank has.
func (a axis) count() int {
	last := a.blocks() - 1
	rows := (last + a.ranks - a.at) / a.ranks * a.width
	if last%a.ranks == a.at {
		rows -= (last+1)*a.width - a.n
	}
	return rows
}

// global is the number in the matrix of a row of the rank.
func (a axis) global(i int) int { return (i/a.width*a.ranks+a.at)*a.width + i%a.width }

// size is the number of rows of a block.
func (a axis) size(block int) int { return min(a.width, a.n-block*a.width) }

// A matrix is the part of a rank. Rank r is at row r/cols.ranks and column r%cols.ranks of
// the grid.
type matrix struct {
	world      *mpi.Comm
	n, width   int
	rows, cols axis
	a          [][]float64 // by row
	panels     [2]panel    // of this step and the next one, in turn
	diagonal   []float64   // a block
	fragment   int         // elements of the longest message
}

// A panel is what a step subtracts: lower has, by row of the rank behind the step, the
// elements of the column of blocks; upper has, by row of the block, those of the rank's
// columns.
type panel struct{ lower, upper []float64 }

// element is the matrix that is factored: noise from -1 to 1, and a diagonal that outweighs
// it, so that no pivoting is needed.
func element(n, i, j int) float64 {
	x := uint64(i)*0x9E3779B97F4A7C15 + uint64(j)*0xBF58476D1CE4E5B9 + 1
	x ^= x >> 30
	x *= 0x94D049BB133111EB
	x ^= x >> 31
	v := float64(x>>11)/(1<<52) - 1
	if i == j {
		v += 2 * float64(n)
	}
	return v
}

func newMatrix(world *mpi.Comm, n, width, rowRanks, colRanks int) *matrix {
	m := &matrix{
		world: world, n: n, width: width,
		rows: axis{n, width, rowRanks, world.Rank() / colRanks},
		cols: axis{n, width, colRanks, world.Rank() % colRanks},
	}
	rows, cols := m.rows.count(), m.cols.count()
	for i := range rows {
		row := make([]float64, cols)
		for j := range row {
			row[j] = element(n, m.rows.global(i), m.cols.global(j))
		}
		m.a = append(m.a, row)
	}
	for i := range m.panels {
		m.panels[i] = panel{make([]float64, rows*width), make([]float64, cols*width)}
	}
	m.diagonal = make([]float64, width*width)
	return m
}

// residual compares A v with L (U v) for a vector v: the largest difference, relative to the
// largest element of A v.
func (m *matrix) residual() (float64, error) {
	v := make([]float64, m.n)
	for i := range v {
		v[i] = element(m.n, i, i+1)
	}
	av, err := m.product(v, func(i, j, gi, gj int) float64 { return element(m.n, gi, gj) })
	if err != nil {
		return 0, err
	}
	uv, err := m.product(v, func(i, j, gi, gj int) float64 {
		if gj < gi {
			return 0
		}
		return m.a[i][j]
	})
	if err != nil {
		return 0, err
	}
	luv, err := m.product(uv, func(i, j, gi, gj int) float64 {
		switch {
		case gi == gj:
			return 1
		case gj > gi:
			return 0
		}
		return m.a[i][j]
	})
	if err != nil {
		return 0, err
	}
	off, largest := 0.0, 0.0
	for i := range av {
		off, largest = max(off, math.Abs(av[i]-luv[i])), max(largest, math.Abs(av[i]))
	}
	return off / largest, nil
}

// product multiplies a matrix, of which every rank knows its part, with a vector. All get it.
func (m *matrix) product(v []float64, at func(i, j, gi, gj int) float64) ([]float64, error) {
	mine, all := make([]float64, m.n), make([]float64, m.n)
	for i := range m.rows.count() {
		gi := m.rows.global(i)
		for j := range m.cols.count() {
			gj := m.cols.global(j)
			mine[gi] += at(i, j, gi, gj) * v[gj]
		}
	}
	return all, mpi.Allreduce(m.world, mine, all, mpi.Sum[float64]())
}
