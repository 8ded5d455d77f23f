package report

import (
	"bytes"
	"fmt"
	"html/template"
	"math"
	"slices"

	"github.com/wcharczuk/go-chart/v2"
)

// A chart is as large as fits a column of the page; on a phone it shrinks.
const (
	chartWidth  = 440
	chartHeight = 290
)

// colours are the classes of the page's style sheet that curves have by their names, so
// that a contestant looks the same everywhere; others take what is left.
var colours = map[string]int{
	"pvas": 0, "sm": 1, "sm/none": 1, "sm/cma": 2, "openmpi": 3, "mpich": 4,
	sharing: 0, "suci": 0, "suci-fast": 2, "tcp": 3, "pvas share+1": 5, "pvas owner+0": 6, "pvas owner+N": 7, "sm owner+N": 1,
}

const (
	allColours  = 8
	freeColours = 5 // and what follows
)

// classes are those of the curves: that of a colour each. Who has no colour of its own
// takes one that the fewest have, and is dashed if it is not the only one.
func (g *grid) classes() []string {
	used := make([]int, allColours)
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
			for k := range allColours {
				if other := (freeColours + k) % allColours; used[other] < used[colour] {
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

// draw draws the figure as SVG. Colours and fonts are classes, which the page's style
// sheet defines for light and dark.
func (g *grid) draw() (template.HTML, error) {
	x, y := g.xScale(), g.yScale()
	c := chart.Chart{
		Width: chartWidth, Height: chartHeight,
		Background: chart.Style{ClassName: "ground", Padding: chart.Box{Top: 12, Left: 6, Right: 22, Bottom: 4}},
		Canvas:     chart.Style{ClassName: "ground"},
		XAxis: chart.XAxis{
			Style: axisStyle, TickStyle: axisStyle, Ticks: x.ticks, Range: x.reach(), GridMajorStyle: chart.Hidden(), GridMinorStyle: chart.Hidden(),
		},
		YAxis: chart.YAxis{Style: chart.Hidden(), Range: y.reach()},
		YAxisSecondary: chart.YAxis{
			Style: axisStyle, TickStyle: axisStyle, Ticks: y.ticks, Range: y.reach(), GridMajorStyle: chart.Hidden(), GridMinorStyle: chart.Hidden(),
		},
	}
	c.Series = append(c.Series, gridLines(y.ticks))
	for i, class := range g.classes() {
		c.Series = append(c.Series, g.series(i, class, x, y)...)
	}
	var out bytes.Buffer
	if err := c.Render(chart.SVG, &out); err != nil {
		return "", fmt.Errorf("report: draw %s: %w", g.title, err)
	}
	return template.HTML(out.String()), nil
}

var axisStyle = chart.Style{ClassName: "axis", FontSize: 9}

// series are a curve and its ranges.
func (g *grid) series(i int, class string, x, y scale) []chart.Series {
	line := chart.ContinuousSeries{YAxis: chart.YAxisSecondary, Style: chart.Style{ClassName: class, StrokeWidth: 2, DotWidth: 3.5}}
	if g.apart() {
		line.Style.StrokeWidth = chart.Disabled // nothing lies between two programs
		line.Style.DotWidth = 5
	}
	var spans []span
	for k, p := range g.curves[i].points {
		if p == nil || g.log && p.low <= 0 {
			continue
		}
		at := x.of(g.places[k].at) + g.beside(i)
		line.XValues, line.YValues = append(line.XValues, at), append(line.YValues, y.of(p.median*g.scale))
		spans = append(spans, span{at, y.of(p.low * g.scale), y.of(p.high * g.scale)})
	}
	if len(line.XValues) == 0 {
		return nil
	}
	return []chart.Series{whiskers(class, spans), line}
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

// A scale maps numbers to the axis; go-chart's own logarithmic one has no place for
// numbers below 1.
type scale struct {
	log       bool
	low, high float64 // as mapped
	ticks     []chart.Tick
}

func (s scale) of(v float64) float64 {
	if s.log {
		return math.Log10(v)
	}
	return v
}

func (s scale) reach() chart.Range {
	return fixedRange{&chart.ContinuousRange{Min: s.low, Max: s.high}}
}

// A fixedRange keeps its ends, which go-chart would move to the first and last tick; for
// the axis on the left it even takes those of the other.
type fixedRange struct{ *chart.ContinuousRange }

func (fixedRange) SetMin(float64) {}
func (fixedRange) SetMax(float64) {}

// xScale has a tick at each place, unless they would be many.
func (g *grid) xScale() scale {
	s := scale{log: g.x.log && !slices.ContainsFunc(g.places, func(p place) bool { return p.at <= 0 })}
	const most = 7
	every := (len(g.places) + most - 1) / most
	for i, p := range g.places {
		label := p.label
		if i%every != 0 {
			label = ""
		}
		s.ticks = append(s.ticks, chart.Tick{Value: s.of(p.at), Label: label})
	}
	s.low, s.high = s.ticks[0].Value, s.ticks[len(s.ticks)-1].Value
	margin := 0.5
	if g.x.at != nil && s.high > s.low {
		margin = (s.high - s.low) / 40
	}
	s.low, s.high = s.low-margin, s.high+margin
	return s
}

// yScale begins at 0, or is logarithmic.
func (g *grid) yScale() scale {
	low, high := math.Inf(1), 0.0
	for _, c := range g.curves {
		for _, p := range c.points {
			if p != nil && (p.low > 0 || !g.log) {
				low, high = min(low, p.low*g.scale), max(high, p.high*g.scale)
			}
		}
	}
	if g.log && high > 0 {
		return logScale(low, high)
	}
	return linearScale(min(low, 0), high)
}

// logScale has ticks at 1, 2 and 5 of each decade, or where that are many at 1 only.
func logScale(low, high float64) scale {
	factors := []float64{1, 2, 5}
	if high/low > 200 {
		factors = factors[:1]
	}
	s := scale{log: true}
	for e := math.Floor(math.Log10(low)); len(s.ticks) == 0 || s.high < math.Log10(high); e++ {
		for _, f := range factors {
			v := f * math.Pow(10, e)
			if s.high >= math.Log10(high) && len(s.ticks) > 1 {
				break
			}
			s.high = math.Log10(v)
			s.ticks = append(s.ticks, chart.Tick{Value: s.high, Label: number(v)})
		}
	}
	for len(s.ticks) > 2 && s.ticks[1].Value <= math.Log10(low) {
		s.ticks = s.ticks[1:]
	}
	s.low = s.ticks[0].Value
	return s
}

// linearScale has about five ticks at round numbers.
func linearScale(low, high float64) scale {
	if high <= low {
		high = low + 1
	}
	rough := (high - low) / 4
	step := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, f := range []float64{1, 2, 2.5, 5, 10} {
		if f*step >= rough {
			step *= f
			break
		}
	}
	s := scale{low: math.Floor(low/step) * step, high: math.Ceil(high/step) * step}
	for i := 0; s.low+float64(i)*step <= s.high+step/2; i++ {
		v := s.low + float64(i)*step
		s.ticks = append(s.ticks, chart.Tick{Value: v, Label: number(v)})
	}
	return s
}
