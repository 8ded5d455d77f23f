package memory

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPowerLaw(t *testing.T) {
	x := []float64{4, 8, 16, 100}
	law := func(c, e float64) (y []float64) {
		for _, v := range x {
			y = append(y, c*math.Pow(v, e))
		}
		return y
	}
	for _, e := range []float64{-1, 0, 0.5, 1, 2} {
		require.InDelta(t, e, PowerLaw(x, law(3, e)), 1e-9)
	}
	require.InDelta(t, 1, PowerLaw([]float64{1, 2, 4, 8}, []float64{1, 2, 0, -3}), 1e-9,
		"what has no logarithm does not count")
	require.InDelta(t, 1, PowerLaw([]float64{1, 2, 4}, []float64{1, math.NaN(), 4}), 1e-9, "nor what is no number")
	for _, y := range [][]float64{nil, {1}, {1, 0}, {0, 0, 0, 0}} {
		require.True(t, math.IsNaN(PowerLaw(x, y)))
	}
	require.True(t, math.IsNaN(PowerLaw([]float64{5, 5}, []float64{1, 2})), "two points at the same x")
}
