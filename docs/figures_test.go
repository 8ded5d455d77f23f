// Package docs_test draws the figures of the documents from the numbers in them.
package docs_test

import (
	"flag"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/chart"
)

var update = flag.Bool("update", false, "draw the figures anew")

// A series is a line of points: what is measured over the number of ranks.
type series struct {
	name, class string
	ranks, kib  []float64
}

var tableRow = regexp.MustCompile(`(?m)^\| ([\d,]+) \| [\d,]+ \| ([\d,]+) \| [\d,]+ \| ([\d,]+) \| ([\d,]+) \|`)

// pageTables reads the table of growth in performance.md.
func pageTables(t *testing.T) (pvas, sm, model series) {
	text, err := os.ReadFile("performance.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "\n## Page tables")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	number := func(s string) float64 {
		n, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
		require.NoError(t, err)
		return n
	}
	pvas, sm, model = series{name: "one address space", class: "c0"}, series{name: "processes", class: "c1"}, series{}
	for _, m := range tableRow.FindAllStringSubmatch(section, -1) {
		ranks := number(m[1])
		for s, cell := range map[*series]string{&pvas: m[2], &sm: m[3], &model: m[4]} {
			s.ranks, s.kib = append(s.ranks, ranks), append(s.kib, number(cell))
		}
	}
	require.GreaterOrEqual(t, len(model.ranks), 3)
	return pvas, sm, model
}

// figure draws dots as measured and lines as the model has them.
func figure(all []series, model map[string]func(ranks float64) float64) string {
	number := func(n float64) string { return strconv.Itoa(int(n)) }
	c := chart.Chart{Title: "Growth of page tables",
		Notes: []string{"KiB, over the ranks, which share 2 MiB each; lines are the model"}}
	c.X, c.Y = chart.Axis{Log: true, Low: math.Log10(16), High: math.Log10(512)},
		chart.Axis{Log: true, Low: math.Log10(64), High: math.Log10(1 << 20)}
	for n := 16.0; n <= 512; n *= 2 {
		c.X.Ticks = append(c.X.Ticks, chart.Tick{At: c.X.Of(n), Label: number(n)})
	}
	for k := 64.0; k <= 1<<20; k *= 4 {
		c.Y.Ticks = append(c.Y.Ticks, chart.Tick{At: c.Y.Of(k), Label: number(k)})
	}
	for _, s := range all {
		k := chart.Curve{Name: s.name, Class: s.class}
		for i, n := range s.ranks {
			k.Dots = append(k.Dots, chart.Dot{X: n, Y: s.kib[i]})
		}
		f := model[s.class]
		k.Lines = [][]chart.Dot{{{X: 16, Y: f(16)}, {X: 512, Y: f(512)}}}
		c.Curves = append(c.Curves, k)
	}
	var b strings.Builder
	_ = chart.Write(&b, c) // a strings.Builder does not fail
	return b.String()
}

// The figure is what the table says. After a change: go test ./docs -update
func TestPageTableFigure(t *testing.T) {
	pvas, sm, model := pageTables(t)
	lines := map[string]func(float64) float64{
		"c0": func(n float64) float64 { return 4 * n },     // a table page of 4 KiB a rank
		"c1": func(n float64) float64 { return 4 * n * n }, // and one for each pair
	}
	for i, n := range model.ranks {
		require.Equal(t, model.kib[i], lines["c1"](n), "the model in the table")
	}
	want := figure([]series{pvas, sm}, lines)
	if *update {
		require.NoError(t, os.WriteFile("page-tables.svg", []byte(want), 0o644))
	}
	have, err := os.ReadFile("page-tables.svg")
	require.NoError(t, err)
	require.Equal(t, want, string(have), "go test ./docs -update draws it anew")
}
