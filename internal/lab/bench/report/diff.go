package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/perf/benchmath"

	"github.com/gopvas/gopvas/internal/lab/bench/results"
	"github.com/gopvas/gopvas/internal/lab/chart"
)

// confidence is that of the intervals that Compare prints.
const confidence = 0.95

// A DiffConfig says how two runs are compared.
type DiffConfig struct {
	Names [2]string // of the files
	Alpha float64   // a difference counts if chance gives it less often than this
	All   bool      // list also what does not differ
}

// Compare prints what differs between two files: medians with the interval in which
// they lie with a confidence of 95 %, the difference, and how likely it is by chance
// (Mann-Whitney U test).
func Compare(w io.Writer, a, b results.File, cfg DiffConfig) error {
	d := diff{DiffConfig: cfg, thresholds: benchmath.Thresholds{CompareAlpha: cfg.Alpha}}
	environments(w, a, b, cfg.Names)
	old, now := experiments(a), experiments(b)
	for _, e := range old {
		i := slices.IndexFunc(now, func(n *experiment) bool { return n.name == e.name })
		if i < 0 {
			d.note("%s is in %s only", e.name, cfg.Names[0])
			continue
		}
		if now[i].command != e.command {
			d.note("%s was made by different commands: %q, %q", e.name, e.command, now[i].command)
		}
		d.experiment(e, now[i])
	}
	for _, n := range now {
		if !slices.ContainsFunc(old, func(e *experiment) bool { return n.name == e.name }) {
			d.note("%s is in %s only", n.name, cfg.Names[1])
		}
	}
	return d.print(w)
}

// environments prints in what the two differ.
func environments(w io.Writer, a, b results.File, names [2]string) {
	last := func(f results.File) results.Environment { return f.Environments[len(f.Environments)-1] }
	for i, e := range []results.Environment{last(a), last(b)} {
		fmt.Fprintf(w, "%s: %d CPUs, %s, Linux %s, %s, %s, %s\n", names[i], e.CPUs, e.CPU, e.Kernel, e.Version, e.Go,
			e.Started.UTC().Format("2006-01-02 15:04 MST"))
	}
}

// A diff is a comparison that is being made.
type diff struct {
	DiffConfig
	thresholds benchmath.Thresholds
	rows       []diffRow
	compared   int
	few        int // that have too few rounds to show any difference
	notes      []string
}

type diffRow struct{ experiment, what, value, old, now, delta, chance string }

func (d *diff) note(format string, args ...any) {
	d.notes = append(d.notes, fmt.Sprintf(format, args...))
}

// experiment compares what both have.
func (d *diff) experiment(a, b *experiment) {
	for _, s := range a.samples {
		i := slices.IndexFunc(b.samples, func(o *sample) bool { return o.key == s.key })
		if i < 0 {
			d.note("%s of %s is in %s only", s.key, a.name, d.Names[0])
			continue
		}
		for _, value := range sortedKeys(s.values) {
			if other := b.samples[i].values[value]; len(other) > 0 {
				d.value(a.name, s.key, value, s.values[value], other)
			}
		}
	}
}

// value compares two samples.
func (d *diff) value(name string, k key, value string, a, b []float64) {
	d.compared++
	old := benchmath.NewSample(slices.Clone(a), &d.thresholds)
	now := benchmath.NewSample(slices.Clone(b), &d.thresholds)
	c := benchmath.AssumeNothing.Compare(old, now)
	if len(c.Warnings) > 0 {
		d.few++
	}
	differs := c.P < d.Alpha
	if !differs && !d.All {
		return
	}
	x, y := benchmath.AssumeNothing.Summary(old, confidence), benchmath.AssumeNothing.Summary(now, confidence)
	row := diffRow{name, k.String(), value, summary(x), summary(y), "~", c.String()}
	if differs {
		row.delta = change(x.Center, y.Center)
	}
	d.rows = append(d.rows, row)
}

// summary is a median and how far the ends of its interval are away.
func summary(s benchmath.Summary) string {
	return chart.Number(s.Center) + " ± " + s.PctRangeString()
}

// change says by how much a number has changed.
func change(old, now float64) string {
	if old == 0 {
		return "from 0"
	}
	return fmt.Sprintf("%+.1f%%", 100*(now-old)/math.Abs(old))
}

// String names what was measured.
func (k key) String() string {
	parts := []string{k.benchmark, k.contestant, fmt.Sprintf("%d ranks", k.ranks)}
	if k.bytes > 0 {
		parts = append(parts, size(k.bytes))
	}
	if k.setting != "" {
		parts = append(parts, k.setting)
	}
	return strings.Join(parts, ", ")
}

func (d *diff) print(w io.Writer) error {
	fmt.Fprintln(w)
	if len(d.rows) > 0 {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintf(t, "experiment\twhat\tvalue\t%s\t%s\tdelta\t\n", d.Names[0], d.Names[1])
		for _, r := range d.rows {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.experiment, r.what, r.value, r.old,
				r.now, r.delta, r.chance)
		}
		if err := t.Flush(); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	differ := 0
	for _, r := range d.rows {
		if r.delta != "~" {
			differ++
		}
	}
	fmt.Fprintf(w, "%d of %d numbers differ (p < %g, Mann-Whitney U test; medians ± ends of their 95 %% intervals)\n",
		differ, d.compared, d.Alpha)
	if d.few > 0 {
		fmt.Fprintf(w, "%d have too few rounds for any difference to show\n", d.few)
	}
	for _, n := range d.notes {
		if _, err := fmt.Fprintln(w, n); err != nil {
			return err
		}
	}
	return nil
}
