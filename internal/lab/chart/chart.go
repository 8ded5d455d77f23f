package chart

import (
	_ "embed"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
)

// The size of a chart, which shrinks with its page.
const (
	Width  = 440
	Height = 290
)

// Colours is how many classes c0, c1, ... of colours there are.
const Colours = 8

//go:embed chart.css
var style string

// CSS is the style sheet: the colours as variables, and the classes of charts and legends.
func CSS() string {
	var b strings.Builder
	b.WriteString(style)
	for i := range Colours {
		fmt.Fprintf(&b,
			"svg path.c%[1]d { stroke: var(--c%[1]d); fill: none; stroke-width: 2; } svg circle.c%[1]d { fill: "+
				"var(--c%[1]d); } .legend .c%[1]d { background: var(--c%[1]d); }\n", i)
	}
	return b.String()
}

// A Chart is curves over the same axes.
type Chart struct {
	Title  string
	Notes  []string // lines below it
	X, Y   Axis
	Curves []Curve
	Marks  []Tick // lines across, at numbers as mapped to the x axis
}

// A Curve is dots, and lines.
type Curve struct {
	Name  string
	Class string // such as c0; "c0 again" has dashes, "c0 bar" thick lines
	Dots  []Dot
	Lines [][]Dot
	Aside float64 // added to all places on the x axis as mapped
}

// A Dot is a number at a place, and the range that it comes from. Low and High are 0 if there is none.
type Dot struct{ X, Y, Low, High float64 }

// frame is where the curves of a chart lie, in pixels.
type frame struct{ left, right, top, bottom float64 }

// SVG is the chart without its title and legend.
func (c *Chart) SVG() string {
	wide := 0
	for _, t := range c.Y.Ticks {
		wide = max(wide, len([]rune(t.Label)))
	}
	const character = 6.5 // of the labels, at most
	f := frame{left: 14 + character*float64(wide), right: Width - 28, top: 16, bottom: Height - 26}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d">`+"\n", Width, Height)
	f.axes(&b, c)
	for _, m := range c.Marks {
		at := c.X.pixel(m.At, f.left, f.right)
		fmt.Fprintf(&b, `<path class="mark" d="M%.1f %gV%g"/><text class="axis end" x="%.1f" y="%g">%s</text>`+"\n", at,
			f.top, f.bottom, at-4, f.top+10, html.EscapeString(m.Label))
	}
	for i := range c.Curves {
		f.curve(&b, c, &c.Curves[i])
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// axes draws both axes, with horizontal lines at the ticks.
func (f *frame) axes(b *strings.Builder, c *Chart) {
	for i, t := range c.Y.Ticks {
		at := c.Y.pixel(t.At, f.bottom, f.top)
		class := "grid"
		if i == 0 {
			class = "axis"
		}
		fmt.Fprintf(b, `<path class="%s" d="M%g %.1fH%g"/><text class="axis end" x="%g" y="%.1f">%s</text>`+"\n",
			class, f.left, at, f.right, f.left-6, at+4, html.EscapeString(t.Label))
	}
	for _, t := range c.X.Ticks {
		at := c.X.pixel(t.At, f.left, f.right)
		fmt.Fprintf(b, `<path class="axis" d="M%.1f %gv5"/><text class="axis middle" x="%.1f" y="%g">%s</text>`+"\n",
			at, f.bottom, at, f.bottom+18, html.EscapeString(t.Label))
	}
}

// curve draws ranges, lines and dots, in this order.
func (f *frame) curve(b *strings.Builder, c *Chart, curve *Curve) {
	x := func(d Dot) float64 { return c.X.pixel(c.X.Of(d.X)+curve.Aside, f.left, f.right) }
	y := func(v float64) float64 { return c.Y.pixel(c.Y.Of(v), f.bottom, f.top) }
	for _, d := range curve.Dots {
		if d.Low < d.High {
			fmt.Fprintf(b, `<path class="%s spread" d="M%.1f %.1fV%.1f"/>`+"\n", curve.Class, x(d), y(d.Low), y(d.High))
		}
	}
	for _, line := range curve.Lines {
		var path strings.Builder
		for i, d := range line {
			fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(i, 1)], x(d), y(d.Y))
		}
		fmt.Fprintf(b, `<path class="%s" d="%s"/>`+"\n", curve.Class, path.String())
	}
	radius := 3.0
	if curve.Lines == nil {
		radius = 4.5
	}
	for _, d := range curve.Dots {
		fmt.Fprintf(b, `<circle class="%s" cx="%.1f" cy="%.1f" r="%g"/>`+"\n", curve.Class, x(d), y(d.Y), radius)
	}
}

// Of a chart that stands alone: the distance of lines of text, the margin, and how many names
// a line of the legend has.
const (
	line          = 18
	margin        = 14
	legendColumns = 2
)

// Write writes charts side by side as one file of SVG, each with its title, notes and legend.
func Write(w io.Writer, charts ...Chart) error {
	above := 0
	for i := range charts {
		above = max(above, charts[i].above())
	}
	var b strings.Builder
	width, height := Width*len(charts), above+Height
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d">`+
		"\n<!-- pvasrun -->\n<style>\n%[3]s</style>\n", width, height, CSS())
	b.WriteString(`<rect class="panel" width="100%" height="100%"/>` + "\n")
	for i := range charts {
		fmt.Fprintf(&b, `<g transform="translate(%d, 0)">`+"\n", i*Width)
		charts[i].head(&b)
		fmt.Fprintf(&b, `<svg y="%d" width="%d" height="%d">%s</svg></g>`+"\n", above, Width, Height, charts[i].SVG())
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// names are the curves that the legend has.
func (c *Chart) names() []Curve {
	return slices.DeleteFunc(slices.Clone(c.Curves), func(k Curve) bool { return k.Name == "" })
}

// above is the height of what stands above the curves.
func (c *Chart) above() int {
	return line*(1+len(c.Notes)+(len(c.names())+legendColumns-1)/legendColumns) + margin
}

func (c *Chart) head(b *strings.Builder) {
	y := line + margin/2
	fmt.Fprintf(b, `<text class="title" x="%d" y="%d">%s</text>`+"\n", margin, y, html.EscapeString(c.Title))
	for _, note := range c.Notes {
		y += line
		fmt.Fprintf(b, `<text class="soft" x="%d" y="%d">%s</text>`+"\n", margin, y, html.EscapeString(note))
	}
	for i, k := range c.names() {
		left := margin + i%legendColumns*(Width-margin)/legendColumns
		if i%legendColumns == 0 {
			y += line
		}
		fmt.Fprintf(b, `<path class="%s" d="M%d %dh18"/><text class="soft" x="%d" y="%d">%s</text>`+"\n", k.Class, left,
			y-4, left+24, y, html.EscapeString(k.Name))
	}
}
