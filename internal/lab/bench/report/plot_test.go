package report

import (
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/bench/overlap"
	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/internal/lab/chart"
)

func TestPlotOverlap(t *testing.T) {
	var results []overlap.Result
	for _, policy := range []string{"share", "owner"} {
		for _, tests := range []int{0, 10, overlap.EachProduct} {
			for i := range 4 {
				results = append(results, overlap.Result{
					Contender: overlap.Contender{Contestant: runner.Contestant{Name: "pvas"}, Policy: policy},
					Ranks:     2, Bytes: 1 << (10 * (1 + i%2)), Grain: []int{4, 40}[i/2],
					Tests: tests, NonCompute: 0.25,
				})
			}
		}
	}
	var out strings.Builder
	require.NoError(t, PlotOverlap(&out, results))
	for _, word := range []string{"pvas share+0", "pvas owner+0", "1 MiB", "a test after each product",
		"the best number of tests", "not spent computing, 4 × 4 matrices", "not spent computing, 40 × 40 matrices"} {
		require.True(t, strings.Contains(html.UnescapeString(out.String()), word), word)
	}
	require.NoError(t, wellFormed(out.String()))
	out.Reset()
	require.NoError(t, PlotOverlap(&out, results[:8]), "no broadcast with a test after each product")
	require.False(t, strings.Contains(out.String(), "a test after each product"))
	require.Error(t, PlotOverlap(&out, nil))
}

// Twice as many curves as there are colours can be told apart, by dashes; names with a
// colour of their own have it alone for as long as another is free.
func TestClasses(t *testing.T) {
	g := grid{}
	for i := range 2*chart.Colours - 2 {
		g.curves = append(g.curves, curve{name: fmt.Sprint(i)})
	}
	g.curves = append(g.curves, curve{name: "pvas"}, curve{name: "openmpi"})
	list := g.classes()
	slices.Sort(list)
	require.Len(t, slices.Compact(list), 2*chart.Colours)
	require.Contains(t, list, "c0")

	g.curves = []curve{{name: "a"}, {name: "b"}, {name: "c"}, {name: "d"}, {name: "pvas"}}
	require.Equal(t, []string{"c5", "c6", "c7", "c1", "c0"}, g.classes())
}

func wellFormed(text string) error {
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}
