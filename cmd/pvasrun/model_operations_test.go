package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/coll"
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/fit"
)

// TestChoicesInTurn: each algorithm of an operation that blocks is in one list, and none has two of an
// operation: ranks would take the last one.
func TestChoicesInTurn(t *testing.T) {
	var all []string
	for _, list := range choicesInTurn(coll.Choices()) {
		_, err := coll.ParseChoice(list)
		require.NoError(t, err)
		operations := map[string]bool{}
		for item := range strings.SplitSeq(list, ",") {
			operation, _, _ := strings.Cut(item, "=")
			require.False(t, operations[operation], list)
			operations[operation] = true
			all = append(all, item)
		}
	}
	want := slices.DeleteFunc(coll.Choices(), func(item string) bool { return strings.HasPrefix(item, "i") })
	require.ElementsMatch(t, want, all)
}

// TestModelFitRepeats: the spread of fits, of which each finds the eager limit.
func TestModelFitRepeats(t *testing.T) {
	args := []string{"model", "fit", "--repeat", "2", "--times", "3", "--largest", "32K", "--max-seconds", "20",
		"--caches", "warm", "--btl", "sm", "--eager-limit", "4K"}
	got := command(t, nil, append(args, "--json")...)
	require.Equal(t, 0, got.code, got.stderr)
	var s fitSpread
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &s))
	require.Equal(t, []int64{4096, 4096}, s.Sync)
	require.Equal(t, 2, s.Fits)
	for _, p := range s.Parameters {
		require.LessOrEqual(t, p.Low, p.Median)
		require.LessOrEqual(t, p.Median, p.High)
	}
	for _, args := range [][]string{{"--repeat", "0"}, {"--repeat", "2", "-o", t.TempDir() + "/machine.json"},
		{"--ranks", "1"}, {"--ranks", "100000"}} {
		require.Equal(t, 2, command(t, nil, append([]string{"model", "fit"}, args...)...).code, args)
	}
}

// TestFitSpread: what is printed of several fits.
func TestFitSpread(t *testing.T) {
	fitOf := func(o float64, sync int64, determined bool) fitted {
		return fitted{Result: &fit.Result{
			Params: loggps.Params{L: 10, O: o, Sync: sync}, R2: o / 1000,
			Estimates: []fit.Estimate{{Name: "L"}, {Name: "o", Determined: determined}},
		}}
	}
	s := spreadOf("sm-warm", 4096, []fitted{fitOf(100, 4096, true), fitOf(130, 4096, false), fitOf(120, 5000, true)})
	var b strings.Builder
	require.NoError(t, s.print(&b))
	require.Equal(t, `# sm-warm, 3 fits
              low       median         high   spread  determined
L              10           10           10    0.0 %  0 of 3
o             100          120          130   16.7 %  2 of 3
S is the eager limit, 4096, in 2 of 3: [4096 4096 5000]
R2 0.1000 to 0.1300, median 0.1200

`, b.String())
}

// TestModelFitWithoutTime: what there is no time for is left out, but each size is measured.
func TestModelFitWithoutTime(t *testing.T) {
	file := t.TempDir() + "/machine.json"
	got := command(t, nil, "model", "fit", "--max-seconds", "1ms", "--largest", "8K", "--caches", "warm",
		"--btl", "sm", "-o", file)
	require.Equal(t, 0, got.code, got.stderr)
	require.Contains(t, got.stdout, "S            4096")
}
