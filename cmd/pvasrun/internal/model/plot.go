package model

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/lab/chart"
	"github.com/gopvas/gopvas/internal/lab/median"
	"github.com/gopvas/gopvas/loggps/fit"
	"github.com/gopvas/gopvas/loggps/show"
)

// leastBytes is where an empty message is drawn.
const leastBytes = 32

// plot draws a fit: measured times as dots, the model as lines, and where the protocol switches.
// Both axes are logarithmic; of times with a loop, the loop is taken away. Below are the round trips as measured.
func (r *fitted) plot(w io.Writer) error {
	low, high := math.Inf(1), 0.0
	most := int64(2 * leastBytes)
	for _, s := range r.samples {
		if t := s.Time - s.Loop; t > 0 {
			low, high = min(low, t), max(high, t)
		}
		most = max(most, s.Bytes)
	}
	c := chart.Chart{
		Title: strings.TrimSpace(fmt.Sprintf("%s  R² %.4f", r.who, r.R2)),
		Notes: []string{"dots are medians of what was measured, lines are the model", "time over bytes"},
		X:     chart.Axis{Log: true, Low: math.Log10(leastBytes), High: math.Log10(float64(most))},
		Y:     chart.Logarithmic(low, high, show.Time),
	}
	for bytes := int64(64); bytes <= most; bytes *= 16 {
		c.X.Ticks = append(c.X.Ticks, chart.Tick{At: c.X.Of(float64(bytes)), Label: commas(bytes)})
	}
	for i, k := range fitCurves {
		c.Curves = append(c.Curves, k.draw(r, fmt.Sprintf("c%d", i), most, low))
	}
	for name, b := range map[string]fit.Break{"s": r.Packet, "S": r.Sync} {
		if b.Found {
			c.Marks = append(c.Marks,
				chart.Tick{At: c.X.Of(float64(b.At)), Label: fmt.Sprintf("%s = %s", name, commas(r.sizeOf(name)))})
		}
	}
	slices.SortFunc(c.Marks, func(a, b chart.Tick) int { return cmp.Compare(a.At, b.At) })
	return chart.Write(w, c, r.raw())
}

// sizeOf is s or S as it is used.
func (r *fitted) sizeOf(name string) int64 {
	if name == "s" {
		return r.Params.Packet
	}
	return r.Params.Sync
}

// A fitCurve is one of the three kinds of times.
type fitCurve struct {
	name string
	is   func(fit.Sample) bool
	time func(r *fitted, bytes int64) float64
}

// longest is a loop that covers every round trip.
const longest = 1 << 50

var fitCurves = []fitCurve{
	{"round trip", func(s fit.Sample) bool { return s.Kind == fit.RoundTrip && s.Loop == 0 },
		func(r *fitted, k int64) float64 { return r.Params.RoundTrip(k, 0) }},
	{"with a loop, less the loop", func(s fit.Sample) bool { return s.Kind == fit.RoundTrip && s.Loop > 0 },
		func(r *fitted, k int64) float64 { return r.Params.RoundTrip(k, longest) - longest }},
	{"send", func(s fit.Sample) bool { return s.Kind == fit.Send },
		func(r *fitted, k int64) float64 { return r.Params.SendTime(k, 0) }},
}

// draw makes a curve; the line is broken at S, and no lower than low.
func (c fitCurve) draw(r *fitted, class string, most int64, low float64) chart.Curve {
	k := chart.Curve{Name: c.name, Class: class, Lines: make([][]chart.Dot, 2)}
	times := map[int64][]float64{}
	for _, m := range r.samples {
		if c.is(m) {
			times[m.Bytes] = append(times[m.Bytes], m.Time-m.Loop)
		}
	}
	for bytes, t := range times {
		if m := median.Of(t); m > 0 {
			k.Dots = append(k.Dots, chart.Dot{X: float64(max(bytes, leastBytes)), Y: m})
		}
	}
	slices.SortFunc(k.Dots, func(a, b chart.Dot) int { return cmp.Compare(a.X, b.X) })
	const steps = 200
	for i := range steps + 1 {
		x := leastBytes * math.Pow(float64(most)/leastBytes, float64(i)/steps)
		part := 0
		if int64(x) > r.Params.Sync {
			part = 1
		}
		k.Lines[part] = append(k.Lines[part], chart.Dot{X: x, Y: max(c.time(r, int64(x)), low)})
	}
	return k
}

// commas writes a number with its thousands apart.
func commas(n int64) string { return chart.Grouped(fmt.Sprint(n)) }
