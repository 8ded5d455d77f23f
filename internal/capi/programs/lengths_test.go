package programs

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// A rank that is told that lengths differ gets MPI_ERR_TRUNCATE, whatever the operation, its form and its algorithm.
// Some rank is told.
func TestLengthsThatDifferAreTruncation(t *testing.T) {
	program := build(t, "lengths.c")
	for _, check := range []string{"0", "1"} {
		t.Run("check="+check, func(t *testing.T) {
			t.Setenv("PVASRUN_CHECK", check)
			eachModel(t, func(t *testing.T, w way) {
				for i, what := range turns(w, "bcast", "scatter", "gather", "allgather", "alltoall",
					"scatterv", "gatherv", "allgatherv", "alltoallv") {
					for _, form := range testkit.Turn(i, 0, 1, 2) {
						stdout, stderr, _ := w.start(t, 3, program, what, fmt.Sprint(form))
						require.Contains(t, stdout, "truncated", "%s, form %d: %s", what, form, stderr)
						require.NotContains(t, stderr, ": class ", "%s, form %d", what, form)
					}
				}
			})
		})
	}
}
