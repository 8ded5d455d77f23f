package npb

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// noisyGrid has random points, and ghosts as in a periodic world.
func noisyGrid(t *testing.T, m *multigrid, n [3]int) *grid {
	g := newGrid(n, true)
	seed := sequence(314159265)
	for z := 1; z <= n[zAxis]; z++ {
		for y := 1; y <= n[yAxis]; y++ {
			seed.fill(g.row(y, z)[1 : n[xAxis]+1])
		}
	}
	require.NoError(t, m.exchange(g))
	return g
}

// stencil adds up the 27 points around one, each with the factor of its distance.
func stencil(g *grid, x, y, z int, factors [4]float64) (sum float64) {
	for dz := -1; dz <= 1; dz++ {
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				sum += factors[dx*dx+dy*dy+dz*dz] * g.row(y+dy, z+dz)[x+dx]
			}
		}
	}
	return sum
}

// testMultigrid has what the operators need, for grids no wider than most.
func testMultigrid(most int) *multigrid {
	m := &multigrid{smoother: smootherB}
	for i := range m.pairs {
		m.pairs[i] = make([]float64, most+2)
	}
	return m
}

// forPoints calls f for all points of a grid, ghosts too if border is 1.
func forPoints(g *grid, border int, f func(x, y, z int)) {
	for z := 1 - border; z <= g.n[zAxis]+border; z++ {
		for y := 1 - border; y <= g.n[yAxis]+border; y++ {
			for x := 1 - border; x <= g.n[xAxis]+border; x++ {
				f(x, y, z)
			}
		}
	}
}

var gridShapes = [][3]int{{2, 2, 2}, {8, 2, 4}, {2, 6, 4}, {12, 4, 2}}

func TestExchangeIsPeriodic(t *testing.T) {
	for _, n := range gridShapes {
		g := noisyGrid(t, testMultigrid(12), n)
		at := func(i, n int) int { return (i-1+n)%n + 1 }
		forPoints(g, 1, func(x, y, z int) {
			require.Equal(t, g.row(at(y, n[1]), at(z, n[2]))[at(x, n[0])], g.row(y, z)[x])
		})
	}
}

func TestResidualAndSmooth(t *testing.T) {
	m := testMultigrid(12)
	for _, n := range gridShapes {
		u, v, r := noisyGrid(t, m, n), noisyGrid(t, m, n), newGrid(n, true)
		require.NoError(t, m.residual(r, v, u))
		forPoints(r, 0, func(x, y, z int) {
			want := v.row(y, z)[x] - stencil(u, x, y, z, [4]float64{-8.0 / 3, 0, 1.0 / 6, 1.0 / 12})
			require.InDelta(t, want, r.row(y, z)[x], 1e-14)
		})
		require.NoError(t, m.residual(v, v, u))
		require.Equal(t, r, v, "in place")
		before := append([]float64(nil), u.data...)
		require.NoError(t, m.smooth(u, r))
		was := &grid{n: n, data: before}
		forPoints(u, 0, func(x, y, z int) {
			c := m.smoother
			want := was.row(y, z)[x] + stencil(r, x, y, z, [4]float64{c[0], c[1], c[2], 0})
			require.InDelta(t, want, u.row(y, z)[x], 1e-14)
		})
	}
}

func TestRestrict(t *testing.T) {
	m := testMultigrid(12)
	for _, n := range gridShapes {
		fine, coarse := noisyGrid(t, m, n), newGrid([3]int{n[0] / 2, n[1] / 2, n[2] / 2}, true)
		m.restrict(coarse, fine)
		forPoints(coarse, 0, func(x, y, z int) {
			want := stencil(fine, 2*x, 2*y, 2*z, [4]float64{0.5, 0.25, 0.125, 0.0625})
			require.InDelta(t, want, coarse.row(y, z)[x], 1e-14)
		})
	}
}

func TestInterpolate(t *testing.T) {
	m := testMultigrid(12)
	for _, n := range gridShapes {
		coarse, fine := noisyGrid(t, m, n), newGrid([3]int{2 * n[0], 2 * n[1], 2 * n[2]}, true)
		for i := range fine.data {
			fine.data[i] = 1
		}
		m.interpolate(fine, coarse)
		forPoints(fine, 1, func(x, y, z int) {
			sum := 0.0 // the mean of the one, two, four or eight around
			for i := range 8 {
				sum += coarse.row((y+i/2%2)/2, (z+i/4)/2)[(x+i%2)/2]
			}
			require.InDelta(t, 1+sum/8, fine.row(y, z)[x], 1e-14)
		})
	}
}

// Every point of a level belongs to one rank, and neighbours are each other's.
func TestMultigridBlocks(t *testing.T) {
	for power := range 10 {
		m := &multigrid{across: blocksAlong(1 << power), top: 5}
		owners := make(map[[3]int]int)
		for rank := range 1 << power {
			m.place = m.placeOf(rank)
			corner, n := m.corner(m.top, m.place), m.blockAt(m.top)
			forPoints(&grid{n: n}, 0, func(x, y, z int) {
				owners[[3]int{corner[0] + x, corner[1] + y, corner[2] + z}]++
			})
			for axis := range 3 {
				back := &multigrid{across: m.across, place: m.placeOf(m.neighbor(axis, 1))}
				require.Equal(t, rank, back.neighbor(axis, -1))
			}
		}
		require.Len(t, owners, 32*32*32)
	}
}
