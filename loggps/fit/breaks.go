package fit

import (
	"math"
	"slices"
)

// findBreaks tries every pair of measured sizes for s and S, and returns the model that fits
// best for what it assumes. Pairs in which one or both switches are not seen are tried too. s
// may later move between its neighbours among the sizes. At S the time jumps, and between two
// sizes nothing says where. If sync is not below 0, S is the longest size up to sync.
func findBreaks(cells []Sample, covered func(Sample) bool, sync int64) *model {
	sizes := roundTripSizes(cells)
	last := len(sizes) - 1
	var best *model
	least := math.Inf(1)
	for j := 1; j <= last; j++ { // each part needs two sizes for a line
		if j == last-1 || sync >= 0 && !(sizes[j] <= sync && (j == last || sync < sizes[j+1])) {
			continue
		}
		for i := 1; i <= j; i++ {
			if i == j-1 {
				continue
			}
			m := &model{packet: sizes[i], sync: sizes[j], sizes: sizes, seenS: j < last, seens: i < j}
			m.low, m.high = float64(sizes[i-1]), float64(sizes[min(i+1, j)])
			m.fit(cells, covered)
			if c := m.criterion(); c < least {
				best, least = m, c
			}
		}
	}
	return best
}

func roundTripSizes(cells []Sample) []int64 {
	var sizes []int64
	for _, c := range cells {
		if c.Kind == RoundTrip {
			sizes = append(sizes, c.Bytes)
		}
	}
	return slices.Compact(sizes) // cells are in order
}

// criterion is smaller for a better model (Bayesian information criterion). A switch was
// sought in many places, so it counts as several parameters.
func (m *model) criterion() float64 {
	const (
		exact  = 1e-9 // no clock is better; residuals below are those of arithmetic
		weight = 4    // parameters
	)
	n := float64(m.n)
	assumed := m.rank
	if m.seens {
		assumed += weight
	}
	if m.seenS {
		assumed += weight
	}
	return n*math.Log(max(m.rss/n, exact*exact)) + float64(assumed)*math.Log(n)
}
