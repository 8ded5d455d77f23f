package programs

import (
	"fmt"
	"os"
	"strings"
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

// A call that one rank is refused changes nothing for anybody: right calls after it, of the same operation too, have
// right data, and all ranks have made the same number of calls at the end.
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

// If the rank makes no other call on the communicator, the others wait for it. The job ends by the proof of the
// deadlock. If calls are checked the report says what the rank was refused, and why.
func TestRefusedCallThatIsLeftOut(t *testing.T) {
	program := build(t, "refused.c")
	t.Setenv("PVASRUN_DEADLOCK_AFTER", "300ms")
	eachCheck(t, func(t *testing.T, w way) {
		does, check := []string{"waits"}, os.Getenv("PVASRUN_CHECK") == "1"
		if check {
			does = append(does, "meets", "ends") // else the others may not wait for a rank that sends them nothing
		}
		for _, what := range does {
			for form, call := range []string{"bcast", "ibcast", "bcast"} {
				for _, ranks := range []int{2, 5} {
					_, stderr, code := w.start(t, ranks, "--timeout", "120", program, "1", what, fmt.Sprint(form))
					require.Equal(t, 125, code, stderr)
					require.Contains(t, stderr, "deadlock, proved")
					told := fmt.Sprintf(`rank 1 was refused a call before: %s on "MPI_COMM_WORLD": `+
						`root 99 is outside of 0..%d`, call, ranks-1)
					require.Equal(t, check, strings.Contains(stderr, told), stderr)
					if what == "ends" {
						require.Regexp(t, "rank 1 is in MPI_Finalize, .*, which may be the one that was refused",
							stderr)
					}
				}
			}
		}
	})
}
