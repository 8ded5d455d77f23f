package memory

import "math"

// PowerLaw fits y = c·x^exponent to points by least squares over the logarithms, and
// returns the exponent. Points where x or y is not above 0 have no logarithm and are
// left out; with fewer than two different x it is NaN.
func PowerLaw(x, y []float64) (exponent float64) {
	var n, sx, sy, sxx, sxy float64
	for i := range min(len(x), len(y)) {
		if !(x[i] > 0 && y[i] > 0) {
			continue
		}
		lx, ly := math.Log(x[i]), math.Log(y[i])
		n++
		sx, sy, sxx, sxy = sx+lx, sy+ly, sxx+lx*lx, sxy+lx*ly
	}
	if d := n*sxx - sx*sx; d > 1e-9 {
		return (n*sxy - sx*sy) / d
	}
	return math.NaN()
}
