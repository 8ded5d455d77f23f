package npb

import (
	"math"

	"github.com/gopvas/gopvas/mpi"
)

// mg solves Poisson's equation in a periodic cube, with 20 point charges, by V-cycles of
// a multigrid method (RNR-94-007 section 2.4). Each rank has a block of the cube, and
// exchanges its faces with its neighbours after each operation.
type mg struct{}

// An mgProblem is a class of MG.
type mgProblem struct {
	n          int // points along each axis
	iterations int
	smoother   [3]float64 // factors by distance
	norm       float64    // of the residual at the end
}

var (
	smootherA = [3]float64{-3.0 / 8, 1.0 / 32, -1.0 / 64}
	smootherB = [3]float64{-3.0 / 17, 1.0 / 33, -1.0 / 61}
)

var mgProblems = map[Class]mgProblem{
	S: {32, 4, smootherA, 0.5307707005734e-4},
	W: {128, 4, smootherA, 0.6467329375339e-5},
	A: {256, 4, smootherA, 0.2433365309069e-5},
	B: {256, 20, smootherB, 0.1800564401355e-5},
	C: {512, 20, smootherB, 0.5706732285740e-6},
}

func (mg) check(class Class, ranks int) error {
	half := mgProblems[class].n / 2 // blocks have two points along each axis
	return powerOfTwo(ranks, half*half*half)
}

func (mg) run(world *mpi.Comm, class Class) (Result, error) {
	p := mgProblems[class]
	m := newMultigrid(world, p)
	if err := m.setCharges(); err != nil {
		return Result{}, err
	}
	if _, err := m.iterate(1); err != nil { // the first time takes page faults
		return Result{}, err
	}
	clear(m.u[m.top].data)
	norm := 0.0
	seconds, err := timed(world, func() (err error) {
		norm, err = m.iterate(p.iterations)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	points := float64(p.n * p.n * p.n)
	return newResult(Result{
		Size: []int{p.n, p.n, p.n}, Iterations: p.iterations, Operation: "floating point",
		Checks: []Comparison{{"norm of the residual", norm, p.norm, 1e-8}},
	}, seconds, 58*float64(p.iterations)*points), nil
}

// iterate does V-cycles and returns the norm of the residual.
func (m *multigrid) iterate(n int) (float64, error) {
	u, r := m.u[m.top], m.r[m.top]
	if err := m.residual(r, m.v, u); err != nil {
		return 0, err
	}
	if _, err := m.norm(r); err != nil {
		return 0, err
	}
	for range n {
		if err := m.cycle(); err != nil {
			return 0, err
		}
		if err := m.residual(r, m.v, u); err != nil {
			return 0, err
		}
	}
	return m.norm(r)
}

// cycle is a V-cycle: it makes the residual coarser level by level, and finds from the
// coarsest level on what is to be added to u.
func (m *multigrid) cycle() error {
	for k := m.top; k > 1; k-- {
		if err := m.down(k); err != nil {
			return err
		}
	}
	clear(m.u[1].data)
	if err := m.smooth(m.u[1], m.r[1]); err != nil {
		return err
	}
	for k := 2; k <= m.top; k++ {
		rest := m.v
		if k < m.top {
			clear(m.u[k].data)
			rest = m.r[k]
		}
		m.interpolate(m.u[k], m.coarser(k))
		if err := m.residual(m.r[k], rest, m.u[k]); err != nil {
			return err
		}
		if err := m.smooth(m.u[k], m.r[k]); err != nil {
			return err
		}
	}
	return nil
}

// norm returns the root of the mean square of the points of a grid of all ranks.
func (m *multigrid) norm(g *grid) (float64, error) {
	sum := []float64{0}
	for z := 1; z <= g.n[zAxis]; z++ {
		for y := 1; y <= g.n[yAxis]; y++ {
			row := g.row(y, z)
			row = row[1 : len(row)-1]
			sum[0] += dot(row, row)
		}
	}
	err := mpi.Allreduce(m.world, nil, sum, mpi.Sum[float64]())
	points := int(1) << (3 * m.top)
	return math.Sqrt(sum[0] / float64(points)), err
}
