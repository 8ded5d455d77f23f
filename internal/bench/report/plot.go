package report

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/gopvas/gopvas/internal/bench/overlap"
	"github.com/gopvas/gopvas/internal/chart"
)

var overLength = axis{"length of the broadcast", overBytes.at, overBytes.label, true}

// overlapFigures are the two headline curves of bench overlap.
var overlapFigures = []figure{
	{title: "CPU time not spent computing", value: "noncompute_percent",
		unit: "%, with the best number of tests", x: overLength},
	{title: "Time of the broadcast", value: "t_us", unit: "µs, with a test after each product",
		x: overLength, log: true},
}

// PlotOverlap writes the two headline curves of results, all of one number of ranks and
// one grain, as SVG, side by side: the share of CPU time not spent computing, with each
// contender's best number of tests, and the time of the broadcast with a Test after
// each product. A chart for which nothing was measured is left out.
func PlotOverlap(w io.Writer, results []overlap.Result) error {
	if len(results) == 0 {
		return errNoResults
	}
	var samples []*sample
	for _, r := range results {
		k := key{contestant: r.Contender.String(), ranks: r.Ranks, bytes: r.Bytes}
		i := slices.IndexFunc(samples, func(s *sample) bool { return s.key == k })
		if i < 0 {
			i = len(samples)
			samples = append(samples, &sample{k, map[string][]float64{}})
		}
		name, v := overlapFigures[0].value, 100*r.NonCompute
		if r.Tests == overlap.EachProduct {
			name, v = overlapFigures[1].value, r.Elapsed
		}
		values := samples[i].values
		values[name] = []float64{slices.Min(append(values[name], v))}
	}
	var grids []grid
	for _, f := range overlapFigures {
		grids = append(grids, f.grids(samples)...)
	}
	return plot(w, fmt.Sprintf("%d ranks, %[2]d × %[2]d matrices", results[0].Ranks, results[0].Grain), grids)
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
