package overlap

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/bench/runner"
)

func TestOverlapFormulas(t *testing.T) {
	for _, c := range []struct {
		name                string
		sample              overlapSample
		noncompute, osu, im float64
	}{
		// A message of 50 us alone, and 100 products of 1 us.
		{"none", overlapSample{pure: 50, product: 1e3, products: 100, elapsed: 150}, 1. / 3, 0, 0},
		{"half", overlapSample{pure: 50, product: 1e3, products: 100, elapsed: 125}, 0.2, 50, 50},
		{"full", overlapSample{pure: 50, product: 1e3, products: 100, elapsed: 100}, 0, 100, 100},
		{"worse than none", overlapSample{pure: 50, product: 1e3, products: 100, elapsed: 200}, 0.5, 0, 0},
		// A message of 200 us alone: the computing is the shorter of the two.
		{"long message", overlapSample{pure: 200, product: 1e3, products: 100, elapsed: 250}, 0.6, 25, 50},
		{"long message, full", overlapSample{pure: 200, product: 1e3, products: 100, elapsed: 200}, 0.5, 50, 100},
		// Noise may let it take less than the products alone.
		{"faster than its parts", overlapSample{pure: 50, product: 1e3, products: 100, elapsed: 90}, 0, 120, 100},
	} {
		require.InDelta(t, c.noncompute, c.sample.noncompute(), 1e-9, c.name)
		require.InDelta(t, c.osu, c.sample.osu(), 1e-9, c.name)
		require.InDelta(t, c.im, c.sample.imb(), 1e-9, c.name)
	}
}

func TestOverlapItems(t *testing.T) {
	for _, item := range []overlapItem{{1, 4, 0, 0}, {1 << 20, 40, 100, 413 * time.Microsecond},
		{65536, 4, EachProduct, time.Second}} {
		got, err := parseOverlapItem(item.String())
		require.NoError(t, err)
		require.Equal(t, item, got)
	}
	for _, bad := range []string{"", "1", "1:2:3", "x:4:0:0", "0:4:0:0", "1:0:0:0", "1:4:-2:0", "1:4:0:-1"} {
		_, err := parseOverlapItem(bad)
		require.Error(t, err, bad)
	}
}

func TestOverlapOutput(t *testing.T) {
	s := overlapSample{3.5, 60.25, 100.5, 99.125}
	got, err := parseOverlapSample(s.String())
	require.NoError(t, err)
	require.Equal(t, s, got)
	samples, executed, err := parseOverlap("1 2 3 4\n5 6 7 8\n1 1 1 1\n2 2 2 2\n3 1 400\n5 0 7\n", 2, 2)
	require.NoError(t, err)
	require.Equal(t, [][]overlapSample{{{1, 2, 3, 4}, {5, 6, 7, 8}}, {{1, 1, 1, 1}, {2, 2, 2, 2}}}, samples)
	require.Equal(t, []Executed{{3, 1, 400}, {5, 0, 7}}, executed)
	for _, bad := range []string{"", "1 2 3 4", "1 2 3\n1 2 3 4", "1 2 3 4\n1 2 3 4\n3 1"} {
		_, _, err := parseOverlap(bad, 1, 2)
		require.Error(t, err, bad)
	}
	g := graphSample{1.5, 2.5, 3.5, 4}
	graph, err := parseGraphSample(g.String())
	require.NoError(t, err)
	require.Equal(t, g, graph)
}

func TestMultiply(t *testing.T) {
	m := newMatrices(2)
	copy(m.a, []float64{1, 2, 3, 4})
	copy(m.b, []float64{5, 6, 7, 8})
	m.multiply()
	require.Equal(t, []float64{19, 22, 43, 50}, m.c)
}

// The contenders with helpers, which make progress by themselves, do not test.
func TestOverlapTests(t *testing.T) {
	all := []int{0, 1, 10, EachProduct}
	require.Equal(t, all, Contender{}.tests(all))
	require.Equal(t, []int{0, EachProduct}, Contender{Helpers: 1}.tests(all))
	every := Contender{Contestant: runner.Contestant{Name: "pvas"}, Policy: "messages", Helpers: EveryRank}
	require.Equal(t, []int{0, EachProduct}, every.tests(all))
	require.Equal(t, "pvas messages+N", every.String())
	require.Equal(t, "pvas messages+4", every.in(4).String())
}
