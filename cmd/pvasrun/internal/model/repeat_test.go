package model

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll"
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

// TestFitSpread: what is printed of several fits.
func TestFitSpread(t *testing.T) {
	fitOf := func(o float64, sync int64, determined bool) fitted {
		return fitted{who: "sm-warm", eager: 4096, Result: &fit.Result{
			Params: loggps.Params{L: 10, O: o, Sync: sync}, R2: o / 1000,
			Estimates: []fit.Estimate{{Name: "L"}, {Name: "o", Determined: determined}},
		}}
	}
	s := spreadOf([]fitted{fitOf(100, 4096, true), fitOf(130, 4096, false), fitOf(120, 5000, true)})
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
