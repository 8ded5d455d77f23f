package report

import (
	"fmt"
	"math"

	"github.com/docker/go-units"

	"github.com/gopvas/gopvas/internal/lab/chart"
)

// lowHigh prints a range, and nothing where there is none.
func lowHigh(s stat, scale float64) string {
	low, high := chart.Number(s.low*scale), chart.Number(s.high*scale)
	if low == high {
		return ""
	}
	return low + "–" + high
}

// ratio prints a quotient.
func ratio(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) || v <= 0 {
		return ""
	}
	if v >= 0.1 {
		return fmt.Sprintf("%.2f×", v)
	}
	return fmt.Sprintf("%.*f×", 1-int(math.Floor(math.Log10(v))), v)
}

// unclear marks a ratio of two whose ranges overlap: they are not told apart.
const unclear = "≈ "

// compared is the ratio of two, marked where it may be chance.
func compared(v float64, a, b stat) string {
	text := ratio(v)
	if text != "" && a.overlaps(b) {
		return unclear + text
	}
	return text
}

// percent prints by how much a quotient is above or below 1.
func percent(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "not measured"
	}
	return fmt.Sprintf("%+.1f %%", 100*(v-1))
}

// size prints a number of bytes.
func size(n int) string {
	return units.CustomSize("%.4g %s", float64(n), 1024, []string{"B", "KiB", "MiB", "GiB"})
}
