package model

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gopvas/gopvas/internal/lab/chart"
	"github.com/gopvas/gopvas/internal/lab/median"
	"github.com/gopvas/gopvas/loggps/fit"
	"github.com/gopvas/gopvas/loggps/show"
)

// raw draws round trips as they were measured, over linear axes: the paper's straight lines and their jumps at S, for
// w = 0 and for w = W. The loops that were measured are a little longer than the round trip of each size. A loop that
// is longer still adds the time by which it is longer: W is one for all sizes.
func (r *fitted) raw() chart.Chart {
	without, with, longest := map[int64][]float64{}, map[int64][]float64{}, 0.0
	most := int64(1)
	for _, s := range r.samples {
		switch {
		case s.Kind != fit.RoundTrip:
			continue
		case s.Loop == 0:
			without[s.Bytes] = append(without[s.Bytes], s.Time)
		default:
			with[s.Bytes] = append(with[s.Bytes], s.Time-s.Loop)
			longest = max(longest, s.Loop)
		}
		most = max(most, s.Bytes)
	}
	high := longest
	curve := func(name, class string, times map[int64][]float64, loop float64) chart.Curve {
		k := chart.Curve{Name: name, Class: class, Lines: make([][]chart.Dot, 2)}
		for bytes, t := range times {
			k.Dots = append(k.Dots, chart.Dot{X: float64(bytes), Y: median.Of(t) + loop})
			high = max(high, median.Of(t)+loop)
		}
		slices.SortFunc(k.Dots, func(a, b chart.Dot) int { return cmp.Compare(a.X, b.X) })
		const steps = 200
		for i := range int64(steps + 1) {
			bytes, part := most*i/steps, 0
			if bytes > r.Params.Sync {
				part = 1
			}
			k.Lines[part] = append(k.Lines[part], chart.Dot{X: float64(bytes), Y: r.Params.RoundTrip(bytes, loop)})
			high = max(high, r.Params.RoundTrip(bytes, loop))
		}
		return k
	}
	curves := []chart.Curve{curve("w = 0", "c0", without, 0)}
	if len(with) > 0 {
		curves = append(curves, curve("w = "+show.Time(longest), "c1", with, longest))
	}
	return chart.Chart{
		Title: "Round trips", Notes: []string{"with a loop of w before the receive", "time over bytes"}, Curves: curves,
		X: chart.Linear(0, float64(most), func(v float64) string { return chart.Grouped(fmt.Sprint(int64(v))) }),
		Y: chart.Linear(0, high, show.Time),
	}
}
