package model

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/gopvas/gopvas/internal/lab/chart"
	"github.com/gopvas/gopvas/loggps/show"
	"github.com/gopvas/gopvas/loggps/sim"
)

// A breakdown is what the ranks of a job spend their time on, as predicted. It is the mean over ranks, as in figure 6
// of the paper.
type breakdown struct {
	job  string
	mean sim.Breakdown
}

func breakdownOf(file string, r *sim.Result) breakdown {
	b := breakdown{job: filepath.Base(file), mean: r.Total()}
	for c := range b.mean {
		b.mean[c] /= float64(len(r.Ranks))
	}
	return b
}

// spent are the causes on which a job spends time.
func spent(all []breakdown) (list []sim.Cause) {
	for c := range sim.NumCauses {
		if slices.ContainsFunc(all, func(b breakdown) bool { return b.mean[c] > 0 }) {
			list = append(list, c)
		}
	}
	return list
}

// breakdownTable is a line for each job.
func breakdownTable(all []breakdown) show.Table {
	t := show.Table{Columns: []string{"mean of its ranks, predicted"}}
	causes := spent(all)
	for _, c := range causes {
		t.Columns = append(t.Columns, c.String())
	}
	for _, b := range all {
		row := []string{b.job}
		for _, c := range causes {
			row = append(row, fmt.Sprintf("%s (%.1f %%)", show.Time(b.mean[c]), 100*b.mean[c]/max(b.mean.Total(), 1)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// plotBreakdowns draws a stacked bar for each job.
func plotBreakdowns(w io.Writer, all []breakdown) error {
	longest := 1.0
	x := chart.Axis{Low: -0.5, High: float64(len(all)) - 0.5}
	for i, b := range all {
		longest = max(longest, b.mean.Total())
		x.Ticks = append(x.Ticks, chart.Tick{At: float64(i), Label: b.job})
	}
	c := chart.Chart{Title: "What ranks spend their time on",
		Notes: []string{"mean over the ranks of each job, predicted"}, X: x, Y: chart.Linear(0, longest, show.Time)}
	for i, cause := range spent(all) {
		class := fmt.Sprintf("c%d", i%chart.Colours)
		c.Curves = append(c.Curves, chart.Curve{Name: cause.String(), Class: class})
		bars := chart.Curve{Class: class + " bar"}
		for at, b := range all {
			below := 0.0
			for k := range cause {
				below += b.mean[k]
			}
			bars.Lines = append(bars.Lines,
				[]chart.Dot{{X: float64(at), Y: below}, {X: float64(at), Y: below + b.mean[cause]}})
		}
		c.Curves = append(c.Curves, bars)
	}
	return chart.Write(w, c)
}
