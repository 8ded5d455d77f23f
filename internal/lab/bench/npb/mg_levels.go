package npb

import (
	"math/bits"

	"github.com/gopvas/gopvas/mpi"
)

// A multigrid is a rank's part of the grids of all levels. Level k has 2^k points along
// each axis. The ranks are a grid themselves, and deal out the points of the fine
// levels; the coarse ones, where a rank would have none, all ranks have in whole.
type multigrid struct {
	world    *mpi.Comm
	smoother [3]float64

	across [3]int // ranks along each axis
	place  [3]int // of this rank
	top    int    // the finest level
	shared int    // the finest level that all ranks have in whole

	u, r []*grid // by level; 0 is not used
	v    *grid   // of the finest level

	partU, partR *grid     // this rank's part of level shared, to and from the finer one
	parts        []float64 // partR of all ranks

	near         nearby
	pairs        [3][]float64 // for near
	faceA, faceB []float64    // on their way
}

func newMultigrid(world *mpi.Comm, p mgProblem) *multigrid {
	m := &multigrid{world: world, smoother: p.smoother, top: bits.Len(uint(p.n)) - 1}
	m.across = blocksAlong(world.Size())
	m.place = m.placeOf(world.Rank())
	m.shared = max(1, bits.Len(uint(m.across[zAxis]))-1)
	m.u, m.r = make([]*grid, m.top+1), make([]*grid, m.top+1)
	for k := 1; k <= m.top; k++ {
		n, whole := m.blockAt(k), k <= m.shared
		if whole {
			n = [3]int{1 << k, 1 << k, 1 << k}
		}
		m.u[k], m.r[k] = newGrid(n, whole), newGrid(n, whole)
	}
	n := m.blockAt(m.top)
	m.v = newGrid(n, false)
	m.partU, m.partR = newGrid(m.blockAt(m.shared), false), newGrid(m.blockAt(m.shared), false)
	m.parts = make([]float64, len(m.partR.data)*world.Size())
	for i := range m.pairs {
		m.pairs[i] = make([]float64, n[xAxis]+2)
	}
	m.faceA = make([]float64, (n[xAxis]+2)*(max(n[yAxis], n[zAxis])+2))
	m.faceB = make([]float64, len(m.faceA))
	return m
}

// blocksAlong returns how many ranks there are along each axis, of a power of two:
// not fewer along y than along x, nor along z than along y, as rows along x are best
// kept long.
func blocksAlong(ranks int) [3]int {
	power := bits.Len(uint(ranks)) - 1
	x := power / 3
	y := (power - x) / 2
	return [3]int{1 << x, 1 << y, 1 << (power - x - y)}
}

// placeOf returns where a rank is, x changing fastest.
func (m *multigrid) placeOf(rank int) [3]int {
	rest := rank / m.across[xAxis]
	return [3]int{rank % m.across[xAxis], rest % m.across[yAxis], rest / m.across[yAxis]}
}

// neighbor returns the rank that is so many places on along an axis, periodically.
func (m *multigrid) neighbor(axis, by int) int {
	p := m.place
	p[axis] = (p[axis] + by + m.across[axis]) % m.across[axis]
	return p[xAxis] + m.across[xAxis]*(p[yAxis]+m.across[yAxis]*p[zAxis])
}

// blockAt returns how many points of a level a rank has along each axis.
func (m *multigrid) blockAt(k int) (n [3]int) {
	for axis := range n {
		n[axis] = 1 << k / m.across[axis]
	}
	return n
}

// corner returns the points of a level before the block of a place, along each axis.
func (m *multigrid) corner(k int, place [3]int) (at [3]int) {
	n := m.blockAt(k)
	for axis := range at {
		at[axis] = place[axis] * n[axis]
	}
	return at
}

// down makes the residual of level k-1 of that of level k.
func (m *multigrid) down(k int) error {
	if k-1 != m.shared {
		m.restrict(m.r[k-1], m.r[k])
		return m.exchange(m.r[k-1])
	}
	m.restrict(m.partR, m.r[k])
	if err := mpi.Allgather(m.world, m.partR.data, m.parts); err != nil {
		return err
	}
	size := len(m.partR.data)
	for rank := range m.world.Size() {
		part := &grid{n: m.partR.n, data: m.parts[rank*size:][:size]}
		insertBox(m.r[m.shared], part, m.corner(m.shared, m.placeOf(rank)))
	}
	return m.exchange(m.r[m.shared])
}

// coarser returns u of level k-1 where a rank has level k.
func (m *multigrid) coarser(k int) *grid {
	if k-1 != m.shared {
		return m.u[k-1]
	}
	extractBox(m.partU, m.u[m.shared], m.corner(m.shared, m.place))
	return m.partU
}
