package programs

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// eachCheck runs a test in both task models, without --check and with it.
func eachCheck(t *testing.T, test func(t *testing.T, w way)) {
	for _, check := range []string{"0", "1"} {
		t.Run("check="+check, func(t *testing.T) {
			t.Setenv("PVASRUN_CHECK", check)
			eachModel(t, test)
		})
	}
}

// A call that one rank is refused changes nothing for anybody: right calls after it, of the same operation too, have right
// data, and all ranks have made the same number of calls at the end.
func TestRefusedCallsAreNone(t *testing.T) {
	program := build(t, "refused.c")
	eachCheck(t, func(t *testing.T, w way) {
		for _, ranks := range []int{2, 3, 5, 6, 7, 13} {
			for _, bad := range []int{0, 1, ranks - 1} {
				require.Equal(t, "right\n", w.ends(t, ranks, program, fmt.Sprint(bad), "repeats"), "%d ranks", ranks)
			}
		}
	})
}

// If the rank does not repeat the call, the others wait for it, and the job ends by the proof of the deadlock.
func TestRefusedCallThatIsLeftOut(t *testing.T) {
	program := build(t, "refused.c")
	t.Setenv("PVASRUN_DEADLOCK_AFTER", "300ms")
	eachCheck(t, func(t *testing.T, w way) {
		for _, ranks := range []int{2, 5} {
			_, stderr, code := w.start(t, ranks, program, "1", "leaves")
			require.Equal(t, 125, code, stderr)
			require.Contains(t, stderr, "deadlock, proved")
		}
	})
}
