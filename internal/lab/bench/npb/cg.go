package npb

import (
	"math"

	"github.com/gopvas/gopvas/mpi"
)

// cg finds the smallest eigenvalue of a sparse, random, symmetric matrix by inverse
// iteration, with 25 steps of conjugate gradients each time (RNR-94-007 section 2.5).
// The ranks are a grid, each with a block of the matrix. Goroutines have rows of it.
type cg struct{}

// cgSteps is the number of steps of conjugate gradients in an iteration.
const cgSteps = 25

// A cgProblem is a class of CG.
type cgProblem struct {
	n          int // order of the matrix
	nonzeros   int // of each of the vectors that it is made of
	iterations int
	shift      float64
	zeta       float64 // the result
}

var cgProblems = map[Class]cgProblem{
	S: {1400, 7, 15, 10, 8.5971775078648},
	W: {7000, 8, 15, 12, 10.362595087124},
	A: {14000, 11, 15, 20, 17.130235054029},
	B: {75000, 13, 75, 60, 22.712745482631},
	C: {150000, 15, 75, 110, 28.973605592845},
}

func (cg) check(class Class, ranks int) error { return powerOfTwo(ranks, cgProblems[class].n) }

func (k cg) run(world *mpi.Comm, class Class) (Result, error) { return k.runBy(world, class) }

func (cg) runBy(t team, class Class) (Result, error) {
	p := cgProblems[class]
	share, err := newCGShare(t, p.n)
	if err != nil {
		return Result{}, err
	}
	s := newCGSolver(share, p.block(share.rows(), share.columns()))
	s.begin()
	if _, err := s.iterate(p.shift); err != nil { // the first time takes page faults
		return Result{}, err
	}
	s.begin()
	zeta := 0.0
	seconds, err := timed(t, func() error {
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

// A cgSolver is a rank's part of the iteration. Vectors have the elements of its
// share; where they are multiplied by the matrix they have those of all its columns, with zeros
// behind, up to a power of two.
type cgSolver struct {
	cgShare
	matrix     matrix
	x, z, p    []float64
	q, r       []float64
	sums       []float64 // one for each row of the rank
	two, three []float64 // those that z and p are parts of
	scalar     []float64 // a number to add up
}

func newCGSolver(share cgShare, m matrix) *cgSolver {
	columns, own, padded := share.columns(), share.own(), 1
	for padded < columns.len() {
		padded *= 2
	}
	s := &cgSolver{cgShare: share, matrix: m, two: share.vector(padded), three: share.vector(padded)}
	n, at := own.len(), own.first-columns.first
	s.x, s.z, s.p = make([]float64, n), s.two[at:][:n], s.three[at:][:n]
	s.q, s.r, s.sums = make([]float64, n), make([]float64, n), make([]float64, share.rows().len())
	s.scalar = make([]float64, 1)
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
