package npb

import (
	"fmt"
	"math"

	"github.com/gopvas/gopvas/mpi"
)

// ft solves the diffusion equation in a periodic box by 3-D FFTs (RNR-94-007 section
// 2.7): pseudo-random initial values are transformed, and each time step multiplies the
// spectrum by the decay of each wave and transforms it back.
//
// Each rank has some planes z of the box, and of the spectrum some planes y: two of the
// three dimensions are transformed where they are, then everything is exchanged, in
// whole rows of x.
type ft struct{}

func (ft) check(class Class, ranks int) error {
	p := ftProblems[class]
	return powerOfTwo(ranks, min(p.ny, p.nz)) // a plane each
}

func (ft) run(world *mpi.Comm, class Class) (Result, error) {
	p := ftProblems[class]
	d := newDiffusion(world, p)
	if err := d.start(); err != nil { // the first time takes page faults
		return Result{}, err
	}
	sums := make([]complex128, len(p.sums))
	seconds, err := timed(world, func() error {
		if err := d.start(); err != nil {
			return err
		}
		for i := range sums {
			if err := d.step(); err != nil {
				return err
			}
			sums[i] = d.checksum()
			if err := mpi.Allreduce(world, nil, sums[i:i+1], mpi.Sum[complex128]()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Result{}, err
	}
	var checks []Comparison
	for i, want := range p.sums {
		name := fmt.Sprintf("checksum %d", i+1)
		checks = append(checks, Comparison{name + ", real part", real(sums[i]), real(want), 1e-12},
			Comparison{name + ", imaginary part", imag(sums[i]), imag(want), 1e-12})
	}
	n, steps := float64(p.nx*p.ny*p.nz), float64(len(sums))
	return newResult(Result{
		Size: []int{p.nx, p.ny, p.nz}, Iterations: len(sums), Operation: "floating point", Checks: checks,
	}, seconds, n*(14.8157+7.19641*math.Log(n)+(5.23518+7.21113*math.Log(n))*steps)), nil
}

// A diffusion is a rank's part of the box. Its arrays have rows of nx numbers.
type diffusion struct {
	world *mpi.Comm
	ftProblem
	ranks, rank int
	ownY, ownZ  int // planes of this rank

	spectrum []complex128 // by own y, then z
	out, in  []complex128 // what is exchanged; out is the result of a step, by own z, then y
	plane    []complex128 // rows of a plane z, a little apart

	decayX, decayY, decayZ []float64 // in one step, by wave number
	forward, inverse       transforms
}

// transforms are those of each dimension.
type transforms struct{ x, y, z *fft }

// planePad keeps rows of a plane from having the same place in a cache.
const planePad = 8

func newDiffusion(world *mpi.Comm, p ftProblem) *diffusion {
	ranks := world.Size()
	n := p.nx * p.ny * p.nz / ranks
	return &diffusion{
		world: world, ftProblem: p, ranks: ranks, rank: world.Rank(), ownY: p.ny / ranks, ownZ: p.nz / ranks,
		spectrum: make([]complex128, n), out: make([]complex128, n), in: make([]complex128, n),
		plane: make([]complex128, p.ny*(p.nx+planePad)),
	}
}

// start makes tables and initial values and transforms them.
func (d *diffusion) start() error {
	d.decayX, d.decayY, d.decayZ = decay(d.nx), decay(d.ny), decay(d.nz)
	d.forward = transforms{newFFT(d.nx, false), newFFT(d.ny, false), newFFT(d.nz, false)}
	d.inverse = transforms{newFFT(d.nx, true), newFFT(d.ny, true), newFFT(d.nz, true)}
	d.initialise(d.in)
	return d.transform()
}

// decay returns what a wave of each number along n points loses in a time step.
func decay(n int) []float64 {
	const alpha = 1e-6
	f := make([]float64, n)
	for i := range f {
		k := float64((i+n/2)%n - n/2)
		f[i] = math.Exp(-4 * alpha * math.Pi * math.Pi * k * k)
	}
	return f
}

// initialise sets values, by own z, then y, to pseudo-random numbers.
func (d *diffusion) initialise(values []complex128) {
	seed := sequence(314159265)
	seed.skip(2 * uint64(len(values)) * uint64(d.rank))
	s, by := stepsFrom(seed), leap
	for len(values) >= 2 {
		pair := (*[2]complex128)(values)
		pair[0] = complex(float64(int64(s[0]&mask46))*unit, float64(int64(s[1]&mask46))*unit)
		pair[1] = complex(float64(int64(s[2]&mask46))*unit, float64(int64(s[3]&mask46))*unit)
		s[0], s[1], s[2], s[3] = s[0]*by, s[1]*by, s[2]*by, s[3]*by
		values = values[2:]
	}
}

// checksum adds up certain values of this rank. The factor makes up for that of the
// transforms.
func (d *diffusion) checksum() complex128 {
	sum := 0i
	for j := 1; j <= 1024; j++ {
		x, y, z := j%d.nx, 3*j%d.ny, 5*j%d.nz-d.rank*d.ownZ
		if z >= 0 && z < d.ownZ {
			sum += d.out[(z*d.ny+y)*d.nx+x]
		}
	}
	return sum * complex(1/float64(d.nx*d.ny*d.nz), 0)
}
