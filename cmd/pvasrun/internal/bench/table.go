package bench

import (
	"fmt"
	"math"

	"github.com/gopvas/gopvas/internal/lab/bench/runner"
)

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
func bestPeer(contenders []runner.Contestant, value func(i int) float64) float64 {
	best := math.NaN()
	for i, c := range contenders {
		if v := value(i); c.IsPeer() && v > 0 && !(v >= best) {
			best = v
		}
	}
	return best
}
