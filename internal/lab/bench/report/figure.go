package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/gopvas/gopvas/internal/lab/bench/memory"
	"github.com/gopvas/gopvas/internal/lab/chart"
)

// A figure says how a value of an experiment is shown: a curve for each contestant, or
// each setting, over something else.
type figure struct {
	title    string
	value    string                        // its name in the file
	unit     string                        // it is shown in
	scale    float64                       // to come to that unit; 0: 1
	x        axis                          //
	split    func(*sample) string          // a figure for each string that it has; nil: one for all
	curve    func(*sample) string          // whose curve it is; nil: the contestant's
	base     string                        // curve that is set against the others; "": pvas
	of       func(base, v float64) float64 // how; nil: base / v
	more     bool                          // is better
	log      bool                          // logarithmic scale
	exponent bool                          // fit a power law over x
}

// An axis is what a value is shown over.
type axis struct {
	name  string
	at    func(*sample) float64
	label func(*sample) string
	log   bool
}

var (
	overBytes = axis{"message", func(s *sample) float64 { return float64(s.bytes) },
		func(s *sample) string { return size(s.bytes) }, true}
	overRanks = axis{"ranks", func(s *sample) float64 { return float64(s.ranks) },
		func(s *sample) string { return fmt.Sprint(s.ranks) }, true}

	// Benchmarks have no order: they stand side by side as they come.
	overBenchmarks = axis{"program", nil, func(s *sample) string { return s.benchmark }, false}
)

func bySetting(s *sample) string    { return s.setting }
func byContestant(s *sample) string { return s.contestant }
func byRanks(s *sample) string      { return fmt.Sprintf("%d ranks", s.ranks) }
func byBytes(s *sample) string      { return size(s.bytes) }

// A curve is what a figure shows of one contestant; nil where it has no value.
type curve struct {
	name   string
	points []*stat // by place on the x axis
}

// A grid is a figure with its numbers.
type grid struct {
	figure
	group  string // of split
	places []place
	curves []curve
}

// A place is where on the x axis something was measured.
type place struct {
	at    float64
	label string
}

// grids are the figures that samples give.
func (f figure) grids(samples []*sample) (list []grid) {
	if f.curve == nil {
		f.curve = byContestant
	}
	f.scale, f.base = cmp.Or(f.scale, 1), cmp.Or(f.base, "pvas")
	samples = only(samples, func(s *sample) bool { return len(s.values[f.value]) > 0 })
	groups := []string{""}
	if f.split != nil {
		groups = firsts(samples, f.split)
	}
	for _, group := range groups {
		in := only(samples, func(s *sample) bool { return f.split == nil || f.split(s) == group })
		if len(in) > 0 {
			list = append(list, f.grid(group, in))
		}
	}
	return list
}

func (f figure) grid(group string, samples []*sample) grid {
	g := grid{figure: f, group: group}
	for _, s := range samples {
		if p := f.place(s, samples); !slices.Contains(g.places, p) {
			g.places = append(g.places, p)
		}
	}
	for _, name := range firsts(samples, f.curve) {
		c := curve{name, make([]*stat, len(g.places))}
		for _, s := range samples {
			if st, ok := s.stat(f.value); ok && f.curve(s) == name {
				c.points[slices.Index(g.places, f.place(s, samples))] = &st
			}
		}
		g.curves = append(g.curves, c)
	}
	return g
}

// place is where a sample stands.
func (f figure) place(s *sample, all []*sample) place {
	label := f.x.label(s)
	if f.x.at == nil {
		return place{float64(slices.Index(firsts(all, f.x.label), label)), label}
	}
	return place{f.x.at(s), label}
}

// A row is one of the table below a figure.
type row struct {
	Label string
	Cells []cell
}

// A cell has a number and, where there are any, its range and how it compares.
type cell struct{ Value, Range, Ratio string }

// rows are the table.
func (g *grid) rows() (rows []row) {
	base := slices.IndexFunc(g.curves, func(c curve) bool { return c.name == g.base })
	for i, p := range g.places {
		r := row{Label: p.label}
		for k, c := range g.curves {
			r.Cells = append(r.Cells,
				g.cell(c.points[i], base >= 0 && base != k, func() *stat { return g.curves[base].points[i] }))
		}
		rows = append(rows, r)
	}
	if g.exponent && len(g.places) > 2 {
		rows = append(rows, g.exponents())
	}
	return rows
}

// cell is a number with its range and, where it is to be compared, the ratio.
func (g *grid) cell(v *stat, compare bool, base func() *stat) cell {
	if v == nil {
		return cell{Value: "–"}
	}
	shown := cell{Value: chart.Number(v.median * g.scale), Range: lowHigh(*v, g.scale)}
	if compare {
		if b := base(); b != nil {
			shown.Ratio = compared(g.quotient(b.median, v.median), *b, *v)
		}
	}
	return shown
}

func (g *grid) quotient(base, v float64) float64 {
	if g.of != nil {
		return g.of(base, v)
	}
	return base / v
}

// exponents are those of the power laws that fit the medians best.
func (g *grid) exponents() row {
	r := row{Label: "exponent"}
	for _, c := range g.curves {
		r.Cells = append(r.Cells, cell{Value: exponent(g.places, c)})
	}
	return r
}

func exponent(places []place, c curve) string {
	var x, y []float64
	for i, p := range c.points {
		if p != nil {
			x, y = append(x, places[i].at), append(y, p.median)
		}
	}
	if e := memory.PowerLaw(x, y); !math.IsNaN(e) {
		return fmt.Sprintf("%.2f", e)
	}
	return "–"
}
