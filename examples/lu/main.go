// Lu turns a dense matrix into a lower and an upper triangle, without pivoting. Its columns are dealt out to the ranks
// in blocks. Each block is a panel that all ranks need: while one is broadcast, the ranks still work with the one
// before (look-ahead, as HPL has it). With -wait each panel is waited for at once:
//
//	pvasrun -n 4 ./examples/lu -n 1000
//	pvasrun -n 4 ./examples/lu -n 1000 -wait
package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"time"

	"github.com/gopvas/gopvas/mpi"
)

const width = 16 // columns of a block

func main() {
	n := flag.Int("n", 512, "`rows` and columns of the matrix, a multiple of 16")
	wait := flag.Bool("wait", false, "wait for each panel at once")
	flag.Parse()
	mpi.Run(func(world *mpi.Comm) error {
		if *n < width || *n%width != 0 {
			return errors.New("lu: -n: give a multiple of 16")
		}
		return run(newMatrix(world, *n), *wait)
	})
}

func run(m *matrix, wait bool) error {
	if err := m.world.Barrier(); err != nil {
		return err
	}
	start := time.Now()
	if err := m.decompose(wait); err != nil {
		return err
	}
	if err := m.world.Barrier(); err != nil {
		return err
	}
	took := time.Since(start)
	off, err := m.residual()
	if err != nil {
		return err
	}
	if !(off < 1e-10) {
		return fmt.Errorf("lu: the product of the triangles is off by %g of the matrix", off)
	}
	if m.world.Rank() == 0 {
		rate := 2.0 / 3 * math.Pow(float64(m.n), 3) / took.Seconds() / 1e6
		fmt.Printf("lu: %d rows by %d ranks: right; %.0f Mflop/s\n", m.n, m.world.Size(), rate)
	}
	return nil
}

// A matrix is the part of a rank: the columns of its blocks.
type matrix struct {
	world   *mpi.Comm
	n       int
	columns map[int][]float64 // by number in the matrix
	panels  [2][]float64      // of this step and the next one, in turn
}

// element is the matrix: noise from -1 to 1, and a diagonal that outweighs it, so that no pivoting is needed.
func element(n, i, j int) float64 {
	x := uint32(i)*2654435761 + uint32(j)*40503 + 1
	x = (x ^ x>>15) * 2246822519
	v := float64(x>>8)/(1<<23) - 1
	if i == j {
		v += 2 * float64(n)
	}
	return v
}

func newMatrix(world *mpi.Comm, n int) *matrix {
	m := &matrix{world: world, n: n, columns: map[int][]float64{},
		panels: [2][]float64{make([]float64, n*width), make([]float64, n*width)}}
	for j := range n {
		if m.mine(j / width) {
			m.columns[j] = make([]float64, n)
			for i := range n {
				m.columns[j][i] = element(n, i, j)
			}
		}
	}
	return m
}

func (m *matrix) owner(block int) int { return block % m.world.Size() }

func (m *matrix) mine(block int) bool { return m.owner(block) == m.world.Rank() }

// decompose broadcasts the next panel while the rest of the matrix is updated with the present one.
func (m *matrix) decompose(wait bool) error {
	var panel mpi.Request
	blocks := m.n / width
	for k := -1; k < blocks; k++ { // the step before the first one only makes the first panel
		if k >= 0 {
			if _, err := panel.Wait(); err != nil {
				return err
			}
		}
		next := k + 1
		if next < blocks {
			var err error
			if panel, err = m.begin(k, next); err != nil {
				return err
			}
			if wait {
				if _, err := panel.Wait(); err != nil {
					return err
				}
			}
		}
		for block := next + 1; k >= 0 && block < blocks; block++ {
			if m.mine(block) {
				m.update(k, block)
			}
		}
	}
	return nil
}

// begin makes the next panel where it is, and begins to broadcast it.
func (m *matrix) begin(k, next int) (mpi.Request, error) {
	if m.mine(next) {
		if k >= 0 {
			m.update(k, next)
		}
		m.factor(next)
	}
	return mpi.Ibcast(m.world, m.panel(next), m.owner(next))
}

// panel is the panel of a step: the columns of its block, from the diagonal on.
func (m *matrix) panel(k int) []float64 { return m.panels[k%2][:(m.n-k*width)*width] }

// update subtracts from a block what the panel of step k makes of it.
func (m *matrix) update(k, block int) {
	for j := range width {
		m.eliminate(m.columns[block*width+j][k*width:], m.panel(k), width)
	}
}

// eliminate subtracts from a column the first columns of a panel, each as often as its element says.
func (m *matrix) eliminate(c, panel []float64, first int) {
	for t := range first {
		by := c[t]
		for i, l := range panel[t*len(c) : (t+1)*len(c)] {
			if i > t {
				c[i] -= l * by
			}
		}
	}
}

// factor makes the panel of a block.
func (m *matrix) factor(block int) {
	panel := m.panel(block)
	for j := range width {
		c := m.columns[block*width+j][block*width:]
		m.eliminate(c, panel, j)
		for i := j + 1; i < len(c); i++ {
			c[i] /= c[j]
		}
		copy(panel[j*len(c):], c)
	}
}

// residual compares A v with L (U v) for a vector v: the largest difference, relative to the largest element of A v.
func (m *matrix) residual() (float64, error) {
	v := make([]float64, m.n)
	for i := range v {
		v[i] = element(m.n, i, i+1)
	}
	av, err := m.product(v, func(i, j int) float64 { return element(m.n, i, j) })
	if err != nil {
		return 0, err
	}
	uv, err := m.product(v, func(i, j int) float64 {
		if i > j {
			return 0
		}
		return m.columns[j][i]
	})
	if err != nil {
		return 0, err
	}
	luv, err := m.product(uv, func(i, j int) float64 {
		switch {
		case i == j:
			return 1
		case i < j:
			return 0
		}
		return m.columns[j][i]
	})
	if err != nil {
		return 0, err
	}
	off, most := 0.0, 0.0
	for i := range av {
		off, most = max(off, math.Abs(av[i]-luv[i])), max(most, math.Abs(av[i]))
	}
	return off / most, nil
}

// product multiplies a matrix, of which every rank knows its columns, with a vector. All get it.
func (m *matrix) product(v []float64, at func(i, j int) float64) ([]float64, error) {
	mine, all := make([]float64, m.n), make([]float64, m.n)
	for j := range m.columns {
		for i := range mine {
			mine[i] += at(i, j) * v[j]
		}
	}
	return all, mpi.Allreduce(m.world, mine, all, mpi.Sum[float64]())
}
