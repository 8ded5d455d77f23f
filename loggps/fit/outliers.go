package fit

import (
	"math"

	"github.com/gopvas/gopvas/internal/lab/median"
)

// Outliers. A sample is one if it lies more than four deviations from the median of its cell. The deviation is that of
// the cell, since some scatter more than others. All samples of a cell are outliers if its median lies more than four
// deviations from the fit: of the medians of all cells, and of the error of its own median.

const (
	far         = 4      // standard deviations
	toDeviation = 1.4826 // of the median distance, for a normal distribution
	leastCell   = 5      // samples whose scatter counts; fewer scatter as all do
	nonsense    = 1e9    // how far a sample is off whose time by the fit is below 0
)

// scatter is what the samples of a cell say, relative to the fit.
type scatter struct {
	offs   []float64 // from the fit
	middle float64   // their median
	spread float64   // the standard deviation of a sample
}

// near returns the samples that are no outliers.
func (m *model) near(samples []Sample, covered func(Sample) bool) []Sample {
	cells := map[Sample]*scatter{}
	offs := make([]float64, len(samples))
	for i, s := range samples {
		offs[i] = nonsense
		if fitted := m.predict(s, covered(s)); fitted > 0 {
			offs[i] = min((s.Time-fitted)/fitted, nonsense)
		}
		s.Time = 0
		if cells[s] == nil {
			cells[s] = &scatter{}
		}
		cells[s].offs = append(cells[s].offs, offs[i])
	}
	between := measure(cells)
	var used []Sample
	for i, s := range samples {
		key := s
		key.Time = 0
		c := cells[key]
		unsure := c.spread / math.Sqrt(float64(len(c.offs)))
		if math.Abs(c.middle) <= far*max(between, 1.25*unsure, 1e-9) &&
			math.Abs(offs[i]-c.middle) <= far*max(c.spread, 1e-9) {
			used = append(used, s)
		}
	}
	return used
}

// measure finds what samples of each cell scatter, and how far cells lie off the fit.
func measure(cells map[Sample]*scatter) (between float64) {
	var middles, all []float64
	for _, c := range cells {
		c.middle = median.Of(c.offs)
		middles = append(middles, math.Abs(c.middle))
		var apart []float64
		for _, off := range c.offs {
			apart = append(apart, math.Abs(off-c.middle))
		}
		c.spread = toDeviation * median.Of(apart)
		all = append(all, apart...)
	}
	between = toDeviation * median.Of(middles)
	for _, c := range cells {
		if len(c.offs) < leastCell || c.spread == 0 { // by a coarse clock most may be equal
			c.spread = max(toDeviation*median.Of(all), between)
		}
	}
	return between
}
