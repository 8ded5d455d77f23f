package main

import (
	"fmt"
	"math"

	"github.com/gopvas/gopvas/bench"
)

// orDash prints a ratio or an exponent, if it is one.
func orDash(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "-"
	}
	if math.Abs(v) < 0.1 {
		return fmt.Sprintf("%.3f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// orNothing is a figure, or a dash where there is none.
func orNothing(kib *int64) string {
	if kib == nil {
		return "-"
	}
	return fmt.Sprint(*kib)
}

// orNaN is a figure, or no number where there is none.
func orNaN(kib *int64) float64 {
	if kib == nil {
		return math.NaN()
	}
	return float64(*kib)
}

func ratio(a, b int64) string {
	if a <= 0 || b <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", float64(a)/float64(b))
}

// bestPeer is the lowest value of a peer that is above 0, or NaN.
func bestPeer(contenders []bench.Contestant, value func(i int) float64) float64 {
	best := math.NaN()
	for i, c := range contenders {
		if v := value(i); c.IsPeer() && v > 0 && !(v >= best) {
			best = v
		}
	}
	return best
}
