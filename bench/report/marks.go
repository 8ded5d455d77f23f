package report

import "github.com/wcharczuk/go-chart/v2"

// A mark is what go-chart has no series for. It draws with a class of its own, which
// go-chart's grid lines, for one, do not.
type mark struct {
	class string
	draw  func(r chart.Renderer, box chart.Box, x, y chart.Range)
}

func (mark) GetName() string           { return "" }
func (mark) GetYAxis() chart.YAxisType { return chart.YAxisSecondary }
func (m mark) GetStyle() chart.Style   { return chart.Style{ClassName: m.class} }
func (mark) Validate() error           { return nil }
func (m mark) Render(r chart.Renderer, box chart.Box, x, y chart.Range, _ chart.Style) {
	r.ResetStyle()
	r.SetClassName(m.class)
	m.draw(r, box, x, y)
}

// gridLines are horizontal lines at the ticks but the first, which the axis is.
func gridLines(ticks []chart.Tick) mark {
	return mark{"grid", func(r chart.Renderer, box chart.Box, _, y chart.Range) {
		for _, t := range ticks[1:] {
			at := box.Bottom - y.Translate(t.Value)
			r.MoveTo(box.Left, at)
			r.LineTo(box.Right, at)
			r.Stroke()
		}
	}}
}

// A span is a range of numbers at a place, as mapped to the axes.
type span struct{ x, low, high float64 }

// whiskers are vertical bars over ranges.
func whiskers(class string, spans []span) mark {
	return mark{class + " spread", func(r chart.Renderer, box chart.Box, x, y chart.Range) {
		for _, s := range spans {
			at := box.Left + x.Translate(s.x)
			r.MoveTo(at, box.Bottom-y.Translate(s.low))
			r.LineTo(at, box.Bottom-y.Translate(s.high))
			r.Stroke()
		}
	}}
}
