package npb

import "github.com/gopvas/gopvas/mpi"

// solve does steps of conjugate gradients from z = 0 towards A z = x. Last it computes the
// residual, which nobody wants but which belongs to the work that is timed.
func (s *cgSolver) solve() error {
	clear(s.z)
	copy(s.r, s.x)
	copy(s.p, s.x)
	rho, err := s.product(s.r, s.r)
	if err != nil {
		return err
	}
	for range cgSteps {
		if err := s.multiply(s.q, s.three); err != nil {
			return err
		}
		d, err := s.product(s.p, s.q)
		if err != nil {
			return err
		}
		alpha, before := rho/d, rho
		s.scalar[0] = advance(s.z, s.r, s.p, s.q, alpha)
		if err := s.total(s.scalar); err != nil {
			return err
		}
		rho = s.scalar[0]
		redirect(s.p, s.r, rho/before)
	}
	if err := s.multiply(s.r, s.two); err != nil {
		return err
	}
	for i, v := range s.x {
		s.q[i] = v - s.r[i]
	}
	_, err = s.product(s.q, s.q)
	return err
}

// product returns the inner product of two vectors, of all ranks.
func (s *cgSolver) product(a, b []float64) (float64, error) {
	s.scalar[0] = dot(a, b)
	err := s.total(s.scalar)
	return s.scalar[0], err
}

// multiply sets dst to the product of the matrix and a vector.
func (s *cgSolver) multiply(dst, src []float64) error {
	if err := s.ready(); err != nil {
		return err
	}
	s.matrix.times(s.sums, src)
	return s.turn(dst, s.sums)
}

// advance goes alpha along p: z += alpha p, r -= alpha q; and returns r.r on this rank.
func advance(z, r, p, q []float64, alpha float64) float64 {
	r, p, q = r[:len(z)], p[:len(z)], q[:len(z)]
	var s0, s1 float64
	i := 0
	for ; i < len(z)-1; i += 2 {
		z[i] += alpha * p[i]
		z[i+1] += alpha * p[i+1]
		a, b := r[i]-alpha*q[i], r[i+1]-alpha*q[i+1]
		r[i], r[i+1] = a, b
		s0 += a * a
		s1 += b * b
	}
	if i < len(z) {
		z[i] += alpha * p[i]
		r[i] -= alpha * q[i]
		s0 += r[i] * r[i]
	}
	return s0 + s1
}

// redirect sets p to r + beta p.
func redirect(p, r []float64, beta float64) {
	r = r[:len(p)]
	for i, v := range p {
		p[i] = r[i] + beta*v
	}
}

// turn adds up, for each row of the grid, what its ranks have for its rows of the
// matrix, and gives each rank what is for its columns.
func (g *cgGrid) turn(dst, sums []float64) error {
	mine := sums
	if g.fold > 1 {
		mine = g.half
		if err := mpi.ReduceScatter(g.pair, sums, mine, g.halves, g.sum); err != nil {
			return err
		}
	}
	if g.others.Size() > 1 {
		if err := mpi.Allreduce(g.others, nil, mine, g.sum); err != nil {
			return err
		}
	}
	if g.partner == g.world.Rank() {
		copy(dst, mine)
		return nil
	}
	_, err := mpi.Sendrecv(g.world, mine, g.partner, 1, dst, g.partner, 1)
	return err
}

// total adds up what all ranks of a row of the grid have; every row has the same.
func (g *cgGrid) total(values []float64) error { return mpi.Allreduce(g.row, nil, values, g.sum) }
