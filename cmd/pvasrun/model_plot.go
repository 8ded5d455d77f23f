package main

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/median"
	"github.com/gopvas/gopvas/loggps/fit"
	"github.com/gopvas/gopvas/loggps/show"
)

// The picture of a fit: measured times as points, the lines of the model, and where the
// protocol switches. Both axes are logarithmic; of times with a loop, the loop is taken away.
const (
	plotLeft, plotRight = 70, 680
	plotTop, plotBottom = 60, 390
	leastBytes          = 32 // where an empty message is drawn
)

var plotText = template.Must(template.New("plot").Parse(`<svg xmlns="http://www.w3.org/2000/svg" width="720" height="440" viewBox="0 0 720 440">
<style>
svg { --ink: #1f2328; --soft: #59636e; --rule: #d1d9e0; --ground: #ffffff; --c0: #0969da; --c1: #bc4c00; --c2: #1a7f37; }
@media (prefers-color-scheme: dark) { svg { --ink: #f0f6fc; --soft: #9198a1; --rule: #3d444d; --ground: #0d1117; --c0: #4493f8; --c1: #db6d28; --c2: #3fb950; } }
.ground { fill: var(--ground); } text { fill: var(--soft); font: 12px system-ui, sans-serif; } .title { fill: var(--ink); font: 600 14px system-ui, sans-serif; }
.rule { stroke: var(--rule); } .switch { stroke: var(--soft); stroke-dasharray: 4 3; } .end { text-anchor: end; } .mid { text-anchor: middle; }
{{- range $i, $_ := .Series}}
.c{{$i}} { stroke: var(--c{{$i}}); fill: none; stroke-width: 1.5; } circle.c{{$i}} { fill: var(--c{{$i}}); stroke: none; opacity: .7; }
{{- end}}
</style>
<rect class="ground" width="100%" height="100%"/>
<text class="title" x="14" y="22">{{.Title}}</text>
{{- range $i, $s := .Series}}
<path class="c{{$i}}" d="M {{$s.Left}} 40 h 18"/><text x="{{$s.Text}}" y="44">{{$s.Name}}</text>
{{- end}}
{{- range .Ticks}}
<path class="rule" d="M 70 {{.At}} H 680"/><text class="end" x="64" y="{{.Base}}">{{.Label}}</text>
{{- end}}
{{- range .Sizes}}
<text class="mid" x="{{.At}}" y="408">{{.Label}}</text>
{{- end}}
<text class="mid" x="375" y="430">bytes; points are medians of what was measured, lines are the model</text>
{{- range .Switches}}
<path class="switch" d="M {{.At}} 60 V 390"/><text class="end" x="{{.Base}}" y="72">{{.Label}}</text>
{{- end}}
{{- range $i, $s := .Series}}
<path class="c{{$i}}" d="{{$s.Path}}"/>
{{- range $s.Points}}
<circle class="c{{$i}}" cx="{{.X}}" cy="{{.Y}}" r="2.5"/>
{{- end}}
{{- end}}
</svg>
`))

type plotPoint struct{ X, Y float64 }

type plotSeries struct {
	Name       string
	Left, Text int
	Path       string
	Points     []plotPoint
}

// A plotMark is a tick, a size or a switch: where it is, and where its label begins.
type plotMark struct {
	At, Base float64
	Label    string
}

// plot draws a fit.
func (r *fitted) plot(w io.Writer) error {
	low, high := math.Inf(1), 0.0
	most := int64(1)
	for _, s := range r.samples {
		if t := s.Time - s.Loop; t > 0 {
			low, high = min(low, t), max(high, t)
		}
		most = max(most, s.Bytes)
	}
	x := func(bytes float64) float64 {
		return plotLeft + (plotRight-plotLeft)*math.Log(max(bytes, leastBytes)/leastBytes)/math.Log(max(float64(most), 2*leastBytes)/leastBytes)
	}
	y := func(ns float64) float64 {
		return plotBottom - (plotBottom-plotTop-14)*math.Log(max(ns, low)/low)/math.Log(max(high/low, 2))
	}
	var data struct {
		Title                  string
		Series                 []plotSeries
		Ticks, Sizes, Switches []plotMark
	}
	data.Title = strings.TrimSpace(fmt.Sprintf("%s  R² %.4f", r.who, r.R2))
	for i, c := range fitCurves {
		data.Series = append(data.Series, c.series(r, i, most, x, y))
	}
	for ns, i := math.Pow(10, math.Floor(math.Log10(low))), 0; ns <= high; i++ {
		if ns >= low {
			data.Ticks = append(data.Ticks, plotMark{y(ns), y(ns) + 4, show.Time(ns)})
		}
		ns *= []float64{2, 2.5, 2}[i%3]
	}
	for bytes := int64(64); bytes <= most; bytes *= 4 {
		data.Sizes = append(data.Sizes, plotMark{At: x(float64(bytes)), Label: commas(bytes)})
	}
	for name, b := range map[string]fit.Break{"s": r.Packet, "S": r.Sync} {
		if b.Found {
			at := x(float64(b.At))
			data.Switches = append(data.Switches, plotMark{at, at - 4, fmt.Sprintf("%s = %s", name, commas(r.sizeOf(name)))})
		}
	}
	slices.SortFunc(data.Switches, func(a, b plotMark) int { return cmp.Compare(a.At, b.At) })
	return plotText.Execute(w, data)
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
	{"round trip", func(s fit.Sample) bool { return s.Kind == fit.RoundTrip && s.Loop == 0 }, func(r *fitted, k int64) float64 { return r.Params.RoundTrip(k, 0) }},
	{"with a loop, less the loop", func(s fit.Sample) bool { return s.Kind == fit.RoundTrip && s.Loop > 0 }, func(r *fitted, k int64) float64 { return r.Params.RoundTrip(k, longest) - longest }},
	{"send", func(s fit.Sample) bool { return s.Kind == fit.Send }, func(r *fitted, k int64) float64 { return r.Params.SendTime(k, 0) }},
}

// series is the curve of a fit; the line is broken at S.
func (c fitCurve) series(r *fitted, i int, most int64, x, y func(float64) float64) plotSeries {
	s := plotSeries{Name: c.name, Left: plotLeft + 210*i, Text: plotLeft + 210*i + 24}
	times := map[int64][]float64{}
	for _, m := range r.samples {
		if c.is(m) {
			times[m.Bytes] = append(times[m.Bytes], m.Time-m.Loop)
		}
	}
	var path strings.Builder
	move := "M"
	for px := float64(plotLeft); px <= plotRight; px++ {
		k := int64(leastBytes * math.Pow(max(float64(most), 2*leastBytes)/leastBytes, (px-plotLeft)/(plotRight-plotLeft)))
		if move == "L" && k > r.Params.Sync && x(float64(r.Params.Sync)) > px-1 {
			move = "M"
		}
		fmt.Fprintf(&path, "%s%.0f %.1f", move, px, y(c.time(r, k)))
		move = "L"
	}
	s.Path = path.String()
	for k, t := range times {
		if m := median.Of(t); m > 0 {
			s.Points = append(s.Points, plotPoint{math.Round(10*x(float64(k))) / 10, math.Round(10*y(m)) / 10})
		}
	}
	slices.SortFunc(s.Points, func(a, b plotPoint) int { return cmp.Compare(a.X, b.X) })
	return s
}

// commas writes a number with its thousands apart.
func commas(n int64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
