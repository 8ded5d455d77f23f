package npb

import (
	"math"

	"github.com/gopvas/gopvas/mpi"
)

// cg finds the smallest eigenvalue of a sparse, random, symmetric matrix by inverse
// iteration, with 25 steps of conjugate gradients each time (RNR-94-007 section 2.5).
// The ranks are a grid, each with a block of the matrix.
type cg struct{}

// cgSteps is the number of steps of conjugate gradients in an iteration.
const cgSteps = 25

func (cg) check(class Class, ranks int) error { return powerOfTwo(ranks, cgProblems[class].n) }

func (cg) run(world *mpi.Comm, class Class) (Result, error) {
	p := cgProblems[class]
	g, err := newCGGrid(world, p.n)
	if err != nil {
		return Result{}, err
	}
	s := newCGSolver(g, p.block(g.rows(), g.columns()))
	s.begin()
	if _, err := s.iterate(p.shift); err != nil { // the first time takes page faults
		return Result{}, err
	}
	s.begin()
	zeta := 0.0
	seconds, err := timed(world, func() error {
		for range p.iterations {
			if zeta, err = s.iterate(p.shift); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Result{}, err
	}
	k := float64(p.nonzeros * (p.nonzeros + 1))
	operations := float64(2*p.iterations*p.n) * (3 + k + cgSteps*(5+k) + 3)
	return newResult(Result{
		Size: []int{p.n}, Iterations: p.iterations, Operation: "floating point",
		Checks: []Comparison{{"zeta", zeta, p.zeta, 1e-10}},
	}, seconds, operations), nil
}

// A cgSolver is a rank's part of the iteration. Vectors have the elements of the rank's
// columns; where they are multiplied by the matrix there are zeros behind, up to a
// power of two.
type cgSolver struct {
	*cgGrid
	matrix     matrix
	x, z, p    []float64
	q, r       []float64
	sums       []float64 // one for each row of the rank
	two, three []float64 // z and p with what is behind
}

func newCGSolver(g *cgGrid, m matrix) *cgSolver {
	columns := g.columns()
	n, padded := columns.len(), 1
	for padded < n {
		padded *= 2
	}
	s := &cgSolver{cgGrid: g, matrix: m, two: make([]float64, padded), three: make([]float64, padded)}
	s.x, s.z, s.p = make([]float64, n), s.two[:n], s.three[:n]
	s.q, s.r, s.sums = make([]float64, n), make([]float64, n), make([]float64, g.rows().len())
	return s
}

// begin sets the vector to ones.
func (s *cgSolver) begin() {
	for i := range s.x {
		s.x[i] = 1
	}
}

// iterate solves A z = x, makes x of z, scaled to length 1, and returns the estimate of
// the eigenvalue.
func (s *cgSolver) iterate(shift float64) (zeta float64, err error) {
	if err := s.solve(); err != nil {
		return 0, err
	}
	products := []float64{dot(s.x, s.z), dot(s.z, s.z)}
	if err := s.total(products); err != nil {
		return 0, err
	}
	scale := 1 / math.Sqrt(products[1])
	for i, v := range s.z {
		s.x[i] = scale * v
	}
	return shift + 1/products[0], nil
}
