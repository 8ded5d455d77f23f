package fit

import (
	"math"
	"slices"
)

// The unknowns are the real-valued parameters that times determine, all but g, and a
// correction of s.
const (
	unknowns   = 9
	parameters = 8
)

type vector [unknowns]float64

// A system is a weighted linear least squares problem: rows of factors, and their times.
type system struct {
	rows  []vector
	times []float64
}

// add adds a row; its weight makes residuals relative to scale.
func (s *system) add(factors vector, time, scale float64) {
	for i := range factors {
		factors[i] /= scale
	}
	s.rows = append(s.rows, factors)
	s.times = append(s.times, time/scale)
}

// solvePositive returns the best vector with no parameter below 0. It tries all choices of
// parameters that are 0: there are few, and only so it is the best that is found.
func (s *system) solvePositive() vector {
	small := s.triangle()
	best, least := vector{}, math.Inf(1)
	for zero := range 1 << parameters {
		x := small.without(zero).solve().x
		if slices.Min(x[:parameters]) < 0 {
			continue
		}
		if off := small.residual(x); off < least {
			best, least = x, off
		}
	}
	return best
}

// residual is the sum of squared residuals of a vector.
func (s *system) residual(x vector) (sum float64) {
	for i, row := range s.rows {
		off := -s.times[i]
		for j := range row {
			off += row[j] * x[j]
		}
		sum += off * off
	}
	return sum
}

// triangle returns a system of a few rows with the same solutions. All residuals lack the same
// number.
func (s *system) triangle() system {
	rows, times := slices.Clone(s.rows), slices.Clone(s.times)
	triangulate(rows, times)
	n := min(unknowns, len(rows))
	return system{rows[:n], times[:n]}
}

// without returns the system with some unknowns that are 0, by bits.
func (s *system) without(zero int) *system {
	rows := slices.Clone(s.rows)
	for i := range rows {
		for unknown := range parameters {
			if zero>>unknown&1 != 0 {
				rows[i][unknown] = 0
			}
		}
	}
	return &system{rows, s.times}
}

// A solution is the smallest of the best vectors.
type solution struct {
	x     vector
	rss   float64 // the sum of squared residuals
	rank  int
	bread [unknowns]vector // the inverse of the matrix of the normal equations, where they have one
	known [unknowns]bool
}

// tiny is the share of the largest singular value below which one counts as 0.
const tiny = 1e-10

// solve triangulates the rows and decomposes the triangle into singular values. Columns
// are scaled to unit length before, so that units do not matter.
func (s *system) solve() solution {
	rows, times := append([]vector(nil), s.rows...), append([]float64(nil), s.times...)
	scale := scaleColumns(rows)
	rest := triangulate(rows, times)
	var r [unknowns]vector
	var b vector
	copy(r[:], rows)
	copy(b[:], times)
	u, sigma, v := singular(r)
	sol := solution{rss: rest}
	for i := range sol.known {
		sol.known[i] = true
	}
	largest := 0.0
	for _, x := range sigma {
		largest = max(largest, x)
	}
	for j, sv := range sigma {
		along := 0.0
		for i := range b {
			along += u[i][j] * b[i]
		}
		if sv <= tiny*largest {
			sol.rss += along * along
			for i := range v {
				if math.Abs(v[i][j]) > 1e-6 {
					sol.known[i] = false
				}
			}
			continue
		}
		sol.rank++
		for i := range v {
			sol.x[i] += v[i][j] * along / sv
			for k := range v {
				sol.bread[i][k] += v[i][j] * v[k][j] / (sv * sv * scale[i] * scale[k])
			}
		}
	}
	for i := range scale {
		sol.x[i] /= scale[i]
	}
	return sol
}

func scaleColumns(rows []vector) vector {
	var scale vector
	for j := range scale {
		sum := 0.0
		for _, r := range rows {
			sum += r[j] * r[j]
		}
		if scale[j] = math.Sqrt(sum); scale[j] == 0 {
			scale[j] = 1
		}
		for i := range rows {
			rows[i][j] /= scale[j]
		}
	}
	return scale
}

// triangulate makes the rows an upper triangle by Householder reflections, of rows and
// times alike, and returns the squares of what is left of the times below the triangle.
func triangulate(rows []vector, times []float64) float64 {
	h := make([]float64, len(rows)) // the vector of the reflection
	for j := 0; j < unknowns && j < len(rows); j++ {
		reflect(rows[j:], times[j:], h[j:], j)
	}
	rest := 0.0
	for i := unknowns; i < len(times); i++ {
		rest += times[i] * times[i]
	}
	return rest
}

// reflect makes column j of all rows but the first 0.
func reflect(rows []vector, times, h []float64, j int) {
	norm := 0.0
	for i := range rows {
		h[i] = rows[i][j]
		norm += h[i] * h[i]
	}
	if norm == 0 {
		return
	}
	h[0] += math.Copysign(math.Sqrt(norm), h[0])
	length := 0.0
	for _, x := range h {
		length += x * x
	}
	var dots vector
	dot := 0.0
	for i, x := range h {
		for c := j; c < unknowns; c++ {
			dots[c] += x * rows[i][c]
		}
		dot += x * times[i]
	}
	for i, x := range h {
		x *= 2 / length
		for c := j; c < unknowns; c++ {
			rows[i][c] -= dots[c] * x
		}
		times[i] -= dot * x
	}
}

// singular decomposes a = u sigma v' by one-sided Jacobi rotations: columns are turned
// until all are orthogonal.
func singular(a [unknowns]vector) (u [unknowns]vector, sigma vector, v [unknowns]vector) {
	u = a
	for i := range v {
		v[i][i] = 1
	}
	for range 60 {
		if !sweep(&u, &v) {
			break
		}
	}
	for j := range sigma {
		sum := 0.0
		for i := range u {
			sum += u[i][j] * u[i][j]
		}
		if sigma[j] = math.Sqrt(sum); sigma[j] > 0 {
			for i := range u {
				u[i][j] /= sigma[j]
			}
		}
	}
	return u, sigma, v
}

// sweep turns each pair of columns once and tells whether any was not orthogonal.
func sweep(u, v *[unknowns]vector) (turned bool) {
	for p := range unknowns {
		for q := p + 1; q < unknowns; q++ {
			var pp, qq, pq float64
			for i := range u {
				pp += u[i][p] * u[i][p]
				qq += u[i][q] * u[i][q]
				pq += u[i][p] * u[i][q]
			}
			if math.Abs(pq) <= 1e-15*math.Sqrt(pp*qq) {
				continue
			}
			turned = true
			zeta := (qq - pp) / (2 * pq)
			t := 1 / (math.Abs(zeta) + math.Sqrt(1+zeta*zeta))
			t = math.Copysign(t, zeta)
			c := 1 / math.Sqrt(1+t*t)
			s := c * t
			for i := range u {
				u[i][p], u[i][q] = c*u[i][p]-s*u[i][q], s*u[i][p]+c*u[i][q]
				v[i][p], v[i][q] = c*v[i][p]-s*v[i][q], s*v[i][p]+c*v[i][q]
			}
		}
	}
	return turned
}
