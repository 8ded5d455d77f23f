package programs

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// Ranks in Go and ranks in C are one job: they exchange messages, are in communicators
// together, and compare what they call.
func TestMixedJobs(t *testing.T) {
	inC, inGo := build(t, "mixed.c"), goPrograms.Build(t, "./testdata/mixed")
	eachWay(t, func(t *testing.T, w way) {
		out := w.ends(t, 1, inGo, ":", "-n", "2", inC, ":", "-n", "1", inGo, ":", "-n", "1", inC)
		for r, language := range []string{"Go", "C", "C", "Go", "C"} {
			require.Contains(t, out, fmt.Sprintf("%s: rank %d of 5\n", language, r))
		}
		out = w.ends(t, 2, inC, ":", "-n", "1", inGo)
		require.Contains(t, out, "Go: rank 2 of 3\n")
		w.ends(t, 1, "--check", inGo, ":", "-n", "2", inC)
	})
}

// With --check ranks that reduce numbers of different types are all told.
func TestMixedJobsThatDiffer(t *testing.T) {
	inC, inGo := build(t, "mixed.c"), goPrograms.Build(t, "./testdata/mixed")
	eachWay(t, func(t *testing.T, w way) {
		w.ends(t, 2, "--check", inGo, "differ", ":", "-n", "2", inC, "differ")
	})
}

// The examples in Go and in C of the same name are one program.
func TestMixedExamples(t *testing.T) {
	inC, inGo := build(t, "../../../../examples/c/pi.c"), goPrograms.Build(t, "../../../examples/pi")
	eachWay(t, func(t *testing.T, w way) {
		require.Equal(t, "4 ranks say that pi is 3.141592654\n", w.ends(t, 2, inC, ":", "-n", "2", inGo))
	})
}
