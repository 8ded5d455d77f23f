package npb

import "github.com/gopvas/gopvas/mpi"

// A cgShare is what one of the team has of the matrix and the vectors, and how what it has
// computed gets to the others.
type cgShare interface {
	rows() span                     // of the matrix
	columns() span                  // likewise: the elements of a vector that they are multiplied by
	own() span                      // of those: the elements that are computed here
	vector(n int) []float64         // for n columns
	ready() error                   // the own elements of a vector are there; waits for those of its columns
	turn(dst, sums []float64) error // of products by rows to the own elements
	total(values []float64) error   // adds up what all have computed of inner products
}

func newCGShare(t team, n int) (cgShare, error) {
	if m, shares := t.(*member); shares {
		return &cgRows{m, n, mpi.Sum[float64]()}, nil
	}
	return newCGGrid(t.(*mpi.Comm), n)
}

// cgRows is the share of a goroutine: rows of the matrix, and vectors in common.
type cgRows struct {
	*member
	n   int
	sum *mpi.Op[float64]
}

func (c *cgRows) rows() span    { return span{c.n * c.rank / c.size, c.n * (c.rank + 1) / c.size} }
func (c *cgRows) columns() span { return span{0, c.n} }
func (c *cgRows) own() span     { return c.rows() }

// vector is the same for all.
func (c *cgRows) vector(n int) []float64 {
	var own []float64
	if c.rank == 0 {
		own = make([]float64, n)
	}
	return gather(c.member, own)[0]
}

func (c *cgRows) ready() error { return c.Barrier() }

func (c *cgRows) turn(dst, sums []float64) error {
	copy(dst, sums)
	return nil
}

func (c *cgRows) total(values []float64) error { return allreduce(c.member, values, c.sum) }
