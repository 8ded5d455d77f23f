package report

import (
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"slices"

	"github.com/gopvas/gopvas/bench"
)

//go:embed plot.svg
var plotSVG string

var plotTemplate = template.Must(template.Must(template.New("plot").Parse(chartsCSS)).Parse(plotSVG))

var overLength = axis{"length of the broadcast", overBytes.at, overBytes.label, true}

// overlapFigures are the two headline curves of bench overlap.
var overlapFigures = []figure{
	{title: "CPU time not spent computing", value: "noncompute_percent", unit: "%, with the best number of tests", x: overLength},
	{title: "Time of the broadcast", value: "t_us", unit: "µs, with a test after each product", x: overLength, log: true},
}

// PlotOverlap writes the two headline curves of results, all of one number of ranks and
// one grain, as SVG, side by side: the share of CPU time not spent computing, with each
// contender's best number of tests, and the time of the broadcast with a Test after
// each product. A chart for which nothing was measured is left out.
func PlotOverlap(w io.Writer, results []bench.OverlapResult) error {
	var samples []*sample
	for _, r := range results {
		k := key{contestant: r.Contender.String(), ranks: r.Ranks, bytes: r.Bytes}
		i := slices.IndexFunc(samples, func(s *sample) bool { return s.key == k })
		if i < 0 {
			i = len(samples)
			samples = append(samples, &sample{k, map[string][]float64{}})
		}
		name, v := overlapFigures[0].value, 100*r.NonCompute
		if r.Tests == bench.EachProduct {
			name, v = overlapFigures[1].value, r.Elapsed
		}
		values := samples[i].values
		values[name] = []float64{slices.Min(append(values[name], v))}
	}
	var grids []grid
	for _, f := range overlapFigures {
		grids = append(grids, f.grids(samples)...)
	}
	if len(grids) == 0 {
		return errors.New("report: plot: there are no results")
	}
	return plot(w, fmt.Sprintf("%d ranks, %[2]d × %[2]d matrices", results[0].Ranks, results[0].Grain), grids)
}

// A drawing is what the template of a plot shows: charts side by side with a legend each.
type drawing struct {
	Width, Height, Above    int
	ChartWidth, ChartHeight int
	Note                    string
	Plots                   []plotted
	palette
}

type plotted struct {
	pageFigure
	Left    int
	Entries []entry
}

// An entry is a line of a legend and where it stands.
type entry struct {
	column
	Left, Top, Text, Base int
}

// Of a legend: the distance of its lines, and how many entries a line has.
const (
	legendLine    = 18
	legendColumns = 2
)

// plot draws figures with a legend above each; note is said of all.
func plot(w io.Writer, note string, grids []grid) error {
	d := drawing{Width: len(grids) * chartWidth, ChartWidth: chartWidth, ChartHeight: chartHeight, Note: note}
	const head, margin = 82, 14
	for i, g := range grids {
		shown, err := g.show()
		if err != nil {
			return err
		}
		p := plotted{pageFigure: shown, Left: i * chartWidth}
		for k, c := range shown.Columns {
			left, top := margin+k%legendColumns*(chartWidth-margin)/legendColumns, head+k/legendColumns*legendLine
			p.Entries = append(p.Entries, entry{c, left, top, left + 24, top + 4})
		}
		d.Above = max(d.Above, p.Entries[len(p.Entries)-1].Top+legendLine)
		d.Plots = append(d.Plots, p)
	}
	d.Height = d.Above + chartHeight
	if err := plotTemplate.Execute(w, d); err != nil {
		return fmt.Errorf("report: plot: %w", err)
	}
	return nil
}
