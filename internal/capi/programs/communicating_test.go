package programs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// Calls of operators that may wait are refused, in all forms of reductions and at all thread levels. They change
// nothing.
func TestOperatorsThatCommunicate(t *testing.T) {
	program := build(t, "communicating.c")
	eachWay(t, func(t *testing.T, w way) {
		for _, level := range turns(w, "single", "multiple") {
			for _, ranks := range testkit.Some(3, 2) {
				require.Equal(t, "right\n", w.ends(t, ranks, program, level), "%s, %d ranks", level, ranks)
			}
			for form, call := range map[string]string{"blocking": "MPI_Reduce", "nonblocking": "MPI_(Wait|Ireduce)"} {
				_, stderr, code := w.start(t, 2, program, level, form)
				require.Equal(t, 1, code, stderr)
				require.Regexp(t, "rank 0: MPI_Recv on MPI_COMM_WORLD: .*an operator must not communicate: "+
					"do so before or after the reduction \\("+call+" runs the operator\\) \\(MPI_ERR_OP\\)", stderr)
			}
			_, stderr, code := w.start(t, 2, program, level, "aborts")
			require.Equal(t, 5, code, stderr)
		}
	})
}
