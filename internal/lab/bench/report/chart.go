package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/gopvas/gopvas/internal/lab/chart"
)

// colours are the classes of the page's style sheet that curves have by their names, so
// that a contestant looks the same everywhere; others take what is left.
var colours = map[string]int{
	"pvas": 0, "sm": 1, "sm/none": 1, "sm/cma": 2, "openmpi": 3, "mpich": 4,
	sharing: 0, "suci": 0, "suci-fast": 2, "tcp": 3, "pvas share+1": 5, "pvas owner+0": 6,
	"pvas owner+N": 7, "sm owner+N": 1,
}

// freeColours is the first of the colours that no name has.
const freeColours = 5

// classes are those of the curves: that of a colour each. Who has no colour of its own
// takes one that the fewest have, and is dashed if it is not the only one.
func (g *grid) classes() []string {
	used := make([]int, chart.Colours)
	for _, c := range g.curves {
		if own, ok := colours[c.name]; ok {
			used[own]++
		}
	}
	list := make([]string, len(g.curves))
	for i, c := range g.curves {
		colour, own := colours[c.name]
		if !own {
			colour = freeColours
			for k := range chart.Colours {
				if other := (freeColours + k) % chart.Colours; used[other] < used[colour] {
					colour = other
				}
			}
			used[colour]++
		}
		list[i] = fmt.Sprintf("c%d", colour)
		if slices.Contains(list[:i], list[i]) || !own && used[colour] > 1 {
			list[i] += " again"
		}
	}
	return list
}

// chart is the figure to be drawn.
func (g *grid) chart() *chart.Chart {
	c := &chart.Chart{X: g.xAxis(), Y: g.yAxis()}
	for i, class := range g.classes() {
		k := chart.Curve{Name: g.curves[i].name, Class: class, Aside: g.beside(i)}
		for at, p := range g.curves[i].points {
			if p != nil && (p.low > 0 || !g.log) {
				k.Dots = append(k.Dots,
					chart.Dot{X: g.places[at].at, Y: p.median * g.scale, Low: p.low * g.scale, High: p.high * g.scale})
			}
		}
		if !g.apart() { // else nothing lies between two programs
			k.Lines = [][]chart.Dot{k.Dots}
		}
		c.Curves = append(c.Curves, k)
	}
	return c
}

// apart tells whether places are no numbers, or there is only one, so that no line leads
// from one to the next.
func (g *grid) apart() bool { return g.x.at == nil || len(g.places) == 1 }

// beside moves the points of a curve aside where those of all stand at the same place.
func (g *grid) beside(i int) float64 {
	if !g.apart() {
		return 0
	}
	return 0.6 * (float64(i) - float64(len(g.curves)-1)/2) / float64(max(len(g.curves), 2))
}

// xAxis has a tick at each place, unless they would be many.
func (g *grid) xAxis() chart.Axis {
	a := chart.Axis{Log: g.x.log && !slices.ContainsFunc(g.places, func(p place) bool { return p.at <= 0 })}
	const most = 7
	every := (len(g.places) + most - 1) / most
	for i, p := range g.places {
		label := p.label
		if i%every != 0 {
			label = ""
		}
		a.Ticks = append(a.Ticks, chart.Tick{At: a.Of(p.at), Label: label})
	}
	a.Low, a.High = a.Ticks[0].At, a.Ticks[len(a.Ticks)-1].At
	margin := 0.5
	if g.x.at != nil && a.High > a.Low {
		margin = (a.High - a.Low) / 40
	}
	a.Low, a.High = a.Low-margin, a.High+margin
	return a
}

// yAxis begins at 0, or is logarithmic.
func (g *grid) yAxis() chart.Axis {
	low, high := math.Inf(1), 0.0
	for _, c := range g.curves {
		for _, p := range c.points {
			if p != nil && (p.low > 0 || !g.log) {
				low, high = min(low, p.low*g.scale), max(high, p.high*g.scale)
			}
		}
	}
	if g.log && high > 0 {
		return chart.Logarithmic(low, high, chart.Number)
	}
	return chart.Linear(min(low, 0), high, chart.Number)
}
