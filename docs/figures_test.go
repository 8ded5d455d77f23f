// Package docs_test draws the figures of the documents from the numbers in them.
package docs_test

import (
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
	pvas, sm, model = series{name: "one address space", class: "a"}, series{name: "processes", class: "b"}, series{}
	for _, m := range tableRow.FindAllStringSubmatch(section, -1) {
		ranks := number(m[1])
		for s, cell := range map[*series]string{&pvas: m[2], &sm: m[3], &model: m[4]} {
			s.ranks, s.kib = append(s.ranks, ranks), append(s.kib, number(cell))
		}
	}
	require.GreaterOrEqual(t, len(model.ranks), 3)
	return pvas, sm, model
}

const (
	width, height           = 640, 420
	left, right, top, floor = 70, 500, 40, 360
	leastRanks, mostRanks   = 32, 512
	leastKiB, mostKiB       = 64, 1 << 20
)

func x(ranks float64) float64 {
	return left + (right-left)*math.Log2(ranks/leastRanks)/math.Log2(mostRanks/leastRanks)
}

func y(kib float64) float64 {
	return floor - (floor-top)*math.Log2(kib/leastKiB)/math.Log2(mostKiB/leastKiB)
}

// figure draws points as measured and lines as the model has them.
func figure(all []series, model map[string]func(ranks float64) float64) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="Growth of page tables over the number of ranks">
<style>
text { font: 13px sans-serif; fill: #222 } .grid { stroke: #ddd } .a { stroke: #0a7d4b; fill: #0a7d4b } .b { stroke: #b3400e; fill: #b3400e }
line.a, line.b { stroke-width: 2 } text.a, text.b { stroke: none } .paper { fill: #fff }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .grid { stroke: #444 } .paper { fill: #161616 } .a { stroke: #3fc98b; fill: #3fc98b } .b { stroke: #f08a55; fill: #f08a55 } }
</style>
<rect class="paper" width="%d" height="%d"/>
<text x="%d" y="22">growth of page tables, KiB</text>
<text x="%d" y="%d">ranks, 2 MiB of shared memory each</text>
`, width, height, width, height, left, left, floor+42)
	for k := float64(leastKiB); k <= mostKiB; k *= 4 {
		fmt.Fprintf(&b, `<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/><text x="%d" y="%.1f" text-anchor="end">%.0f</text>`+"\n",
			left, right, y(k), y(k), left-8, y(k)+4, k)
	}
	for n := float64(leastRanks); n <= mostRanks; n *= 2 {
		fmt.Fprintf(&b, `<line class="grid" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/><text x="%.1f" y="%d" text-anchor="middle">%.0f</text>`+"\n",
			x(n), x(n), top, floor, x(n), floor+18, n)
	}
	for _, s := range all {
		f := model[s.class]
		fmt.Fprintf(&b, `<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`+"\n", s.class,
			x(leastRanks), y(f(leastRanks)), x(mostRanks), y(f(mostRanks)))
		for i, n := range s.ranks {
			fmt.Fprintf(&b, `<circle class="%s" cx="%.1f" cy="%.1f" r="5"><title>%.0f ranks: %.0f KiB</title></circle>`+"\n",
				s.class, x(n), y(s.kib[i]), n, s.kib[i])
		}
		fmt.Fprintf(&b, `<text class="%s" x="%d" y="%.1f">%s</text>`+"\n", s.class, right+8, y(f(mostRanks))+4, s.name)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// The figure is what the table says. After a change: go test ./docs -update
func TestPageTableFigure(t *testing.T) {
	pvas, sm, model := pageTables(t)
	lines := map[string]func(float64) float64{
		"a": func(n float64) float64 { return 4 * n },     // a table page of 4 KiB a rank
		"b": func(n float64) float64 { return 4 * n * n }, // and one for each pair
	}
	for i, n := range model.ranks {
		require.Equal(t, model.kib[i], lines["b"](n), "the model in the table")
	}
	want := figure([]series{pvas, sm}, lines)
	if *update {
		require.NoError(t, os.WriteFile("page-tables.svg", []byte(want), 0o644))
	}
	have, err := os.ReadFile("page-tables.svg")
	require.NoError(t, err)
	require.Equal(t, want, string(have), "go test ./docs -update draws it anew")
}
