package report

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/gopvas/gopvas/internal/lab/bench/overlap"
	"github.com/gopvas/gopvas/internal/lab/chart"
)

var overLength = axis{"length of the broadcast", overBytes.at, overBytes.label, true}

// overlapFigures are the curves of bench overlap, for each grain. The first are those of the paper's figures 4 and 5.
var overlapFigures = []figure{
	{title: "CPU time not spent computing", value: "noncompute_each_percent", unit: "%, with a test after each product",
		x: overLength, split: bySetting},
	{title: "CPU time not spent computing", value: "noncompute_percent", unit: "%, with the best number of tests",
		x: overLength, split: bySetting},
}

// PlotOverlap writes results, all of one number of ranks, as SVG: the share of CPU time not spent computing. There are
// two charts for each grain. In one a rank tests after each product until the broadcast is done. In the other each
// contender makes its best number of tests during given products. A chart without results is left out.
func PlotOverlap(w io.Writer, results []overlap.Result) error {
	if len(results) == 0 {
		return errNoResults
	}
	var samples []*sample
	for _, r := range results {
		k := key{contestant: r.Contender.String(), ranks: r.Ranks, bytes: r.Bytes,
			setting: fmt.Sprintf("%[1]d × %[1]d matrices", r.Grain)}
		i := slices.IndexFunc(samples, func(s *sample) bool { return s.key == k })
		if i < 0 {
			i = len(samples)
			samples = append(samples, &sample{k, map[string][]float64{}})
		}
		name := overlapFigures[1].value
		if r.Tests == overlap.EachProduct {
			name = overlapFigures[0].value
		}
		values := samples[i].values
		values[name] = []float64{slices.Min(append(values[name], 100*r.NonCompute))}
	}
	var grids []grid
	for _, f := range overlapFigures {
		grids = append(grids, f.grids(samples)...)
	}
	return plot(w, fmt.Sprintf("%d ranks", results[0].Ranks), grids)
}

var errNoResults = errors.New("report: plot: there are no results")

// plot draws figures side by side; note is said of all.
func plot(w io.Writer, note string, grids []grid) error {
	var charts []chart.Chart
	for i := range grids {
		g := &grids[i]
		c := g.chart()
		c.Title, c.Notes = g.heading(), []string{g.unit + "; " + g.better(), "over " + g.x.name + "; " + note}
		charts = append(charts, *c)
	}
	if err := chart.Write(w, charts...); err != nil {
		return fmt.Errorf("report: plot: %w", err)
	}
	return nil
}
