package fit

import "math"

// Intervals. The squares of what each cell moves an estimate by add up to the variance of the estimate, however times
// scatter. A cell is the samples of one kind, size and loop; it moves the estimate by its factors times the sum of its
// residuals. Nothing is assumed of the residuals of one cell. For their scatter is no constant share of the time: a
// clock adds the same to all times, and a long message is disturbed more often. A size may also lie off the line
// whenever it is measured. In statistics this is the sandwich estimator with clusters. The correction for leverage is
// that of Bell and McCaffrey (2002). The degrees of freedom are theirs, too, for clusters of equal residuals that are
// independent of one another.

// A cell is what the samples of one kind, size and loop have in the last system.
type cell struct {
	row vector  // of each sample: it does not depend on the time
	n   float64 // samples
	off float64 // the sum of their residuals
}

// cells of the last improvement, which was made from used.
func (m *model) cells(used []Sample) map[Sample]*cell {
	all := map[Sample]*cell{}
	for i, s := range used {
		s.Time = 0
		c := all[s]
		if c == nil {
			c = &cell{row: m.sys.rows[i]}
			all[s] = c
		}
		c.n++
		c.off -= m.sys.times[i]
		for j, f := range c.row {
			c.off += f * m.x[j]
		}
	}
	return all
}

// halves are, by parameter, half of the width of its 95 % interval.
func (m *model) halves(used []Sample) (half vector) {
	var variance, weight, squares vector
	for _, c := range m.cells(used) {
		var pull vector // what a residual of the cell moves, by parameter
		leverage := 0.0
		for i := range pull {
			for j, f := range c.row {
				pull[i] += m.bread[i][j] * f
			}
			leverage += c.n * c.row[i] * pull[i]
		}
		moved := c.off * c.off / max(1-leverage, leastRest)
		for i, p := range pull {
			variance[i] += p * p * moved
			weight[i] += p * p * c.n * c.n
			squares[i] += p * p * p * p * c.n * c.n * c.n * c.n
		}
	}
	for i := range half {
		freedom := weight[i] * weight[i] / max(squares[i], math.SmallestNonzeroFloat64)
		half[i] = quantile(max(freedom, leastFreedom)) * math.Sqrt(variance[i])
	}
	return half
}

const (
	leastRest    = 1e-3 // of a cell without which a parameter would not be known
	leastFreedom = 3    // for quantile
)

// quantile is that of Student's t distribution for 97.5 %, to three digits from 3 degrees
// of freedom on (expansion of Cornish and Fisher).
func quantile(freedom float64) float64 {
	const z = 1.959964
	n := freedom
	return z + (z*z*z+z)/(4*n) + (5*math.Pow(z, 5)+16*z*z*z+3*z)/(96*n*n) +
		(3*math.Pow(z, 7)+19*math.Pow(z, 5)+17*z*z*z-15*z)/(384*n*n*n)
}
