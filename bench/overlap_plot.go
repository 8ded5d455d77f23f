package bench

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/docker/go-units"
	"github.com/wcharczuk/go-chart/v2"
	"github.com/wcharczuk/go-chart/v2/drawing"
)

// The size of each of the two charts, in pixels.
const (
	plotWidth  = 640
	plotHeight = 480
)

// A curve is a contender in a chart: what it has at each size, whose logarithm is x.
type curve struct {
	name string
	x, y []float64
}

// PlotOverlap writes the two headline curves of results, all of one number of ranks and
// one grain, as SVG, side by side: the share of CPU time not spent computing, with each
// contender's best number of tests, and the time of the broadcast with a Test after
// each product. A chart for which nothing was measured is left out.
func PlotOverlap(w io.Writer, results []OverlapResult) error {
	share := curves(results, func(r OverlapResult) (float64, bool) { return 100 * r.NonCompute, r.Tests != EachProduct })
	time := curves(results, func(r OverlapResult) (float64, bool) { return math.Log10(r.Elapsed), r.Tests == EachProduct })
	var charts []chart.Chart
	if len(share) > 0 {
		charts = append(charts, draw("CPU time not spent computing, %", share, percentAxis(share), results))
	}
	if len(time) > 0 {
		charts = append(charts, draw("time of the broadcast, us", time, decadeAxis(time), results))
	}
	if len(charts) == 0 {
		return errors.New("bench: plot: there are no results")
	}
	return sideBySide(w, charts)
}

// sideBySide writes charts into one picture.
func sideBySide(w io.Writer, charts []chart.Chart) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d">`+"\n", len(charts)*plotWidth, plotHeight)
	for i, c := range charts {
		fmt.Fprintf(&out, `<g transform="translate(%d,0)">`+"\n", i*plotWidth)
		if err := c.Render(chart.SVG, &out); err != nil {
			return fmt.Errorf("bench: plot: %w", err)
		}
		fmt.Fprintln(&out, "</g>")
	}
	fmt.Fprintln(&out, "</svg>")
	_, err := w.Write(out.Bytes())
	return err
}

// plotColors tell the curves apart; the colors of Okabe and Ito, which also the color
// blind can tell apart. What comes after the last begins again, dashed.
var plotColors = []string{"000000", "e69f00", "56b4e9", "009e73", "f0e442", "0072b2", "d55e00", "cc79a7"}

// draw makes a chart of curves over the logarithm of the size.
func draw(what string, list []curve, y chart.YAxis, results []OverlapResult) chart.Chart {
	under := fmt.Sprintf("length of the broadcast; %d ranks, %[2]d x %[2]d matrices", results[0].Ranks, results[0].Grain)
	c := chart.Chart{
		Title: what, TitleStyle: chart.Style{FontSize: 12}, Width: plotWidth, Height: plotHeight,
		Background: chart.Style{Padding: chart.Box{Top: 40, Left: 160, Right: 20, Bottom: 10}},
		XAxis:      chart.XAxis{Name: under},
		YAxis:      y,
	}
	for i, k := range list {
		color := drawing.ColorFromHex(plotColors[i%len(plotColors)])
		style := chart.Style{StrokeColor: color, StrokeWidth: 2, DotColor: color, DotWidth: 3}
		if i >= len(plotColors) {
			style.StrokeDashArray = []float64{6, 3}
		}
		c.Series = append(c.Series, chart.ContinuousSeries{Name: k.name, XValues: k.x, YValues: k.y, Style: style})
	}
	for _, n := range plotSizes(results) {
		c.XAxis.Ticks = append(c.XAxis.Ticks, chart.Tick{Value: math.Log2(n), Label: units.BytesSize(n)})
	}
	c.Elements = []chart.Renderable{chart.LegendLeft(&c)}
	return c
}

// percentAxis goes from 0 to the first multiple of ten that is above all.
func percentAxis(list []curve) (axis chart.YAxis) {
	_, most := bounds(list)
	end := 10 * (math.Floor(most/10) + 1)
	axis.Range = &chart.ContinuousRange{Max: end}
	for v := 0.0; v <= end; v += 10 {
		axis.Ticks = append(axis.Ticks, chart.Tick{Value: v, Label: fmt.Sprint(v)})
	}
	return axis
}

// decadeAxis is for decimal logarithms: between the whole ones that enclose all.
func decadeAxis(list []curve) (axis chart.YAxis) {
	least, most := bounds(list)
	first, last := math.Floor(least), math.Floor(most)+1
	axis.Range = &chart.ContinuousRange{Min: first, Max: last}
	for e := first; e <= last; e++ {
		axis.Ticks = append(axis.Ticks, chart.Tick{Value: e, Label: fmt.Sprint(math.Pow(10, e))})
	}
	return axis
}

func bounds(list []curve) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, c := range list {
		least, most = min(least, slices.Min(c.y)), max(most, slices.Max(c.y))
	}
	return least, most
}

// curves are those of a chart.
func curves(results []OverlapResult, value func(OverlapResult) (v float64, counts bool)) (list []curve) {
	for _, r := range results {
		v, counts := value(r)
		if !counts {
			continue
		}
		name, x := r.Contender.String(), math.Log2(float64(r.Bytes))
		i := slices.IndexFunc(list, func(c curve) bool { return c.name == name })
		if i < 0 {
			i = len(list)
			list = append(list, curve{name: name})
		}
		c := &list[i]
		if k := slices.Index(c.x, x); k >= 0 {
			c.y[k] = min(c.y[k], v)
		} else {
			c.x, c.y = append(c.x, x), append(c.y, v)
		}
	}
	return list
}

// plotSizes are the sizes in the results, in order.
func plotSizes(results []OverlapResult) (sizes []float64) {
	for _, r := range results {
		sizes = append(sizes, float64(r.Bytes))
	}
	slices.SortFunc(sizes, cmp.Compare)
	return slices.Compact(sizes)
}
