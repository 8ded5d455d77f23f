// Fft3d transforms a cube of complex numbers, divided among the ranks by planes, and
// overlaps that with the exchange: as soon as a plane is transformed in two dimensions
// its rows go to the ranks that will transform the third, by a nonblocking Alltoallv,
// while this rank goes on with its next plane. The cube is a sum of some waves, so that
// every element of the result is known, and every rank checks its part.
//
//	pvasrun -n 4 ./examples/fft3d -n 64
package main

import (
	"flag"
	"fmt"
	"math"
	"math/bits"
	"math/cmplx"
	"time"

	"github.com/gopvas/gopvas/mpi"
)

func main() {
	n := flag.Int("n", 64, "`length` of an edge, a power of two")
	flag.Parse()
	mpi.Run(func(world *mpi.Comm) error {
		if *n < 1 || *n&(*n-1) != 0 {
			return fmt.Errorf("-n %d is no power of two", *n)
		}
		return run(world, *n)
	})
}

// wave is one of those that the cube is a sum of: its frequencies, and amplitude.
type wave struct {
	x, y, z   int
	amplitude complex128
}

func waves(n int) []wave {
	return []wave{{0, 0, 0, 1}, {1 % n, 2 % n, 3 % n, 2i}, {n - 1, 0, n / 2, 0.5}, {n / 2, n / 4, 1 % n, -1 + 1i}}
}

// cube is one rank's part of the data.
type cube struct {
	n       int
	world   *mpi.Comm
	planes  []complex128 // planes first(rank) to first(rank+1) of all z, as [z][y][x]
	columns []complex128 // rows first(rank) to first(rank+1) of all y, as [z][y][x]
}

func (c *cube) first(rank int) int { return c.n * rank / c.world.Size() }
func (c *cube) share(rank int) int { return c.first(rank+1) - c.first(rank) }

func run(world *mpi.Comm, n int) error {
	c := &cube{n: n, world: world}
	share := c.share(world.Rank())
	c.planes, c.columns = make([]complex128, share*n*n), make([]complex128, share*n*n)
	c.fill()
	if err := world.Barrier(); err != nil {
		return err
	}
	start := time.Now()
	waited, err := c.transform()
	if err != nil {
		return err
	}
	took := time.Since(start)
	worst, err := c.check()
	if err != nil {
		return err
	}
	// The worst of all ranks is known once all have found theirs in order.
	all := make([]float64, 1)
	if err := mpi.Reduce(world, []float64{worst}, all, mpi.Max[float64](), 0); err != nil || world.Rank() != 0 {
		return err
	}
	_, err = fmt.Printf("transformed %d x %d x %d numbers on %d ranks in %v, %v of it waiting: relative error %.1e\n",
		n, n, n, world.Size(), took.Round(time.Microsecond), waited.Round(time.Microsecond), all[0])
	return err
}

// fill makes the cube the sum of the waves.
func (c *cube) fill() {
	turn := 2 * math.Pi / float64(c.n)
	for i := range c.planes {
		x, y, z := i%c.n, i/c.n%c.n, i/c.n/c.n+c.first(c.world.Rank())
		for _, w := range waves(c.n) {
			phase := (w.x*x + w.y*y + w.z*z) % c.n
			c.planes[i] += w.amplitude * cmplx.Rect(1, turn*float64(phase))
		}
	}
}

// transform leaves the transform of planes in columns, and returns how long it waited.
func (c *cube) transform() (waited time.Duration, err error) {
	n := c.n
	steps := (n + c.world.Size() - 1) / c.world.Size() // planes of the rank that has most
	f := newFFT(n)
	var exchanges []mpi.Request
	for s := range steps {
		if s < c.share(c.world.Rank()) {
			plane := c.planes[s*n*n:][:n*n]
			for y := range n {
				f.transform(plane[y*n:], 1)
			}
			for x := range n {
				f.transform(plane[x:], n)
			}
		}
		request, err := c.exchange(s)
		if err != nil {
			return 0, err
		}
		exchanges = append(exchanges, request)
	}
	start := time.Now()
	if err := mpi.WaitAll(exchanges, nil); err != nil {
		return 0, err
	}
	waited = time.Since(start)
	rows := c.share(c.world.Rank()) * n
	for i := range rows {
		f.transform(c.columns[i:], rows)
	}
	return waited, nil
}

// exchange begins to send the rows of this rank's plane number s to the ranks that they
// are for, and to receive this rank's rows of the planes number s of all ranks.
func (c *cube) exchange(s int) (mpi.Request, error) {
	size, rank, n := c.world.Size(), c.world.Rank(), c.n
	counts, displs := make([]int, size), make([]int, size)
	from, at := make([]int, size), make([]int, size)
	rows := c.share(rank) * n
	for r := range size {
		if s < c.share(rank) {
			counts[r], displs[r] = c.share(r)*n, s*n*n+c.first(r)*n
		}
		if s < c.share(r) {
			from[r], at[r] = rows, (c.first(r)+s)*rows
		}
	}
	return mpi.Ialltoallv(c.world, c.planes, counts, displs, c.columns, from, at)
}

// check compares this rank's part of the result with what the waves make it. It returns
// the greatest error, relative to the length of the sums.
func (c *cube) check() (worst float64, err error) {
	n, rows := c.n, c.share(c.world.Rank())
	volume := float64(n * n * n)
	want := map[[3]int]complex128{}
	for _, w := range waves(n) {
		want[[3]int{w.x, w.y, w.z}] += w.amplitude * complex(volume, 0)
	}
	for i, have := range c.columns {
		at := [3]int{i % n, i/n%rows + c.first(c.world.Rank()), i / n / rows}
		worst = max(worst, cmplx.Abs(have-want[at])/volume)
		if !(worst < 1e-12) {
			return worst, fmt.Errorf("element %v is %v, not %v", at, have, want[at])
		}
	}
	return worst, nil
}

// fft transforms vectors of one length, a power of two.
type fft struct {
	roots  []complex128 // exp(-2 pi i k/n)
	vector []complex128
}

func newFFT(n int) *fft {
	f := &fft{make([]complex128, n/2), make([]complex128, n)}
	for k := range f.roots {
		f.roots[k] = cmplx.Rect(1, -2*math.Pi*float64(k)/float64(n))
	}
	return f
}

// transform replaces the vector whose elements are so far apart by its transform.
func (f *fft) transform(data []complex128, stride int) {
	n := len(f.vector)
	shift := 64 - bits.Len(uint(n-1))
	for i := range f.vector {
		f.vector[bits.Reverse64(uint64(i))>>shift] = data[i*stride]
	}
	for half := 1; half < n; half *= 2 {
		for i := 0; i < n; i += 2 * half {
			low, high := f.vector[i:i+half], f.vector[i+half:i+2*half]
			for k := range low {
				t := f.roots[k*(n/2/half)] * high[k]
				low[k], high[k] = low[k]+t, low[k]-t
			}
		}
	}
	for i, v := range f.vector {
		data[i*stride] = v
	}
}
