package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 0.127: "0.127", 0.1301: "0.13", 1: "1", 1.005: "1", 12.34: "12.3", 99.96: "100", 999.6: "1,000",
		1234: "1,234", 1234567: "1,234,567",
		-0.5: "-0.5", -1234: "-1,234", 1e-5: "0.00001",
	} {
		require.Equal(t, want, Number(v), v)
	}
}

// Axes hold what they are made for, and have few ticks in order.
func TestAxes(t *testing.T) {
	for _, c := range []struct{ low, high float64 }{{1, 1}, {0.1, 0.11}, {3, 7000}, {0.2, 19}, {5, 1e9}, {1e-4, 2e-4}} {
		for _, s := range []Axis{Logarithmic(c.low, c.high, Number), Linear(0, c.high, Number),
			Linear(-c.high, c.high, Number)} {
			low, high := s.Of(c.low), s.Of(c.high)
			require.LessOrEqual(t, s.Low, low+1e-9, c)
			require.GreaterOrEqual(t, s.High, high-1e-9, c)
			require.Less(t, s.Low, s.High, c)
			require.GreaterOrEqual(t, len(s.Ticks), 2, c)
			require.LessOrEqual(t, len(s.Ticks), 11, c)
			for i := range s.Ticks[1:] {
				require.Less(t, s.Ticks[i].At, s.Ticks[i+1].At, c)
			}
		}
	}
	require.Less(t, Linear(0, 0, Number).Low, Linear(0, 0, Number).High)
}

// A file is well formed, has all that it was given as text, and places dots by the axes.
func TestWrite(t *testing.T) {
	c := Chart{
		Title: "a < b", Notes: []string{"one", "two & three"}, X: Linear(0, 10, Number),
		Y:     Logarithmic(1, 1000, Number),
		Marks: []Tick{{5, "here"}},
		Curves: []Curve{
			{Name: "first", Class: "c0", Dots: []Dot{{X: 0, Y: 1}, {X: 10, Y: 1000, Low: 500, High: 1000}}},
			{Class: "c1 again", Lines: [][]Dot{{{X: 0, Y: 1}, {X: 5, Y: 10}}}},
		},
	}
	var b bytes.Buffer
	require.NoError(t, Write(&b, c, c))
	d := xml.NewDecoder(bytes.NewReader(b.Bytes()))
	var text strings.Builder
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if data, ok := token.(xml.CharData); ok {
			text.Write(data)
		}
	}
	for _, said := range []string{"a < b", "one", "two & three", "first", "here", "1,000"} {
		require.Contains(t, text.String(), said)
	}
	svg := c.SVG()
	require.Contains(t, svg, `cx="412.0" cy="16.0"`)
	require.Equal(t, 1, strings.Count(svg, "spread"))
	require.Equal(t, 1, strings.Count(svg, `class="c1 again"`))
}
