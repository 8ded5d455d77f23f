package npb

import "math"

const (
	epBlock  = 256 // pairs that are done at a time: what is between the steps stays in the L1 cache
	epAnnuli = 16  // more than any pair of the classes reaches
)

// gaussians adds up pairs of Gaussian deviates, made by Marsaglia's polar method: of
// the points (x, y) in the unit square only those in the unit circle count, and with
// t = x*x + y*y the pair is (x, y) * sqrt(-2 log(t) / t).
type gaussians struct {
	sumX, sumY float64
	annuli     [epAnnuli]int // pairs by the greater absolute value, rounded down

	x, y, t, logs [epBlock]float64 // of the pairs of a block that count
}

// add goes on with so many blocks of pairs, from a place in the sequence on.
func (g *gaussians) add(seed sequence, blocks int) {
	steps := stepsFrom(seed)
	for range blocks {
		n := g.draw(&steps)
		logarithms(g.logs[:n], g.t[:n])
		g.tally(n)
	}
}

// draw keeps the points of a block that are in the circle, and returns how many. It
// does so without a branch, which could not be predicted.
func (g *gaussians) draw(s *steps) int {
	const twice = 2 * unit
	a, b, c, d, by := s[0], s[1], s[2], s[3], leap
	n := uint(0)
	for range epBlock / 2 {
		x := float64(int64(a&mask46))*twice - 1
		y := float64(int64(b&mask46))*twice - 1
		t := x*x + y*y
		at := n % epBlock
		g.x[at], g.y[at], g.t[at] = x, y, t
		n += inCircle(t)
		x = float64(int64(c&mask46))*twice - 1
		y = float64(int64(d&mask46))*twice - 1
		t = x*x + y*y
		at = n % epBlock
		g.x[at], g.y[at], g.t[at] = x, y, t
		n += inCircle(t)
		a, b, c, d = a*by, b*by, c*by, d*by
	}
	*s = steps{a, b, c, d}
	return int(n)
}

// inCircle is 1 if t is at most 1, and else 0: the sign of their difference.
func inCircle(t float64) uint { return uint(1 - math.Float64bits(1-t)>>63) }

// tally adds the first n pairs to the sums and the counts.
func (g *gaussians) tally(n int) {
	xs, ys, ts, logs := g.x[:n], g.y[:n], g.t[:n], g.logs[:n]
	const sign = 1 << 63
	sumX, sumY := g.sumX, g.sumY
	for i, x := range xs {
		f := math.Sqrt(-2 * logs[i] / ts[i])
		x *= f
		y := ys[i] * f
		sumX += x
		sumY += y
		// Absolute values compare as their bits do, for which there is no branch.
		greater := max(math.Float64bits(x)&^sign, math.Float64bits(y)&^sign)
		g.annuli[uint(int(math.Float64frombits(greater)))%epAnnuli]++
	}
	g.sumX, g.sumY = sumX, sumY
}

// totals are the sums and the counts, for a reduction over the ranks.
func (g *gaussians) totals() []float64 {
	all := make([]float64, 2, 2+epAnnuli)
	all[0], all[1] = g.sumX, g.sumY
	for _, n := range g.annuli {
		all = append(all, float64(n))
	}
	return all
}
