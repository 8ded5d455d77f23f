package fit

import (
	"math"
	"slices"

	"github.com/gopvas/gopvas/loggps"
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
	for i := 1; i <= last; i++ { // each part needs two sizes for a line
		eager, long := equations(cells, covered, sizes[i])
		for j := i; j <= last; j++ {
			if i == j-1 || j == last-1 || sync >= 0 && !(sizes[j] <= sync && (j == last || sync < sizes[j+1])) {
				continue
			}
			m := &model{packet: sizes[i], sync: sizes[j], sizes: sizes, seenS: j < last, seens: i < j, n: len(cells)}
			m.low, m.high = float64(sizes[i-1]), float64(sizes[min(i+1, j)])
			short := 0 // cells of at most S bytes; they are in order
			for short < len(cells) && cells[short].Bytes <= m.sync {
				short++
			}
			m.solution = eager.join(long, short).solve()
			if c := m.criterion(); c < least {
				best, least = m, c
			}
		}
	}
	return best
}

// equations are those of the cells if all of them were eager, and if none was. Residuals are relative to the measured
// times.
func equations(cells []Sample, covered func(Sample) bool, packet int64) (eager, long system) {
	for _, c := range cells {
		for _, side := range []struct {
			sys  *system
			sync int64
		}{{&eager, c.Bytes}, {&long, c.Bytes - 1}} {
			f, constant := c.factors(loggps.Params{Packet: packet, Sync: side.sync}, covered(c))
			side.sys.add(f, c.Time-constant, c.Time)
		}
	}
	return eager, long
}

// join returns the first equations of one system and the others of another.
func (s *system) join(other system, first int) *system {
	return &system{slices.Concat(s.rows[:first], other.rows[first:]),
		slices.Concat(s.times[:first], other.times[first:])}
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
