package programs

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/testkit"
)

// eachCheck runs a test in both task models and on two nodes, without --check and with it. turn is for testkit.Turn.
func eachCheck(t *testing.T, test func(t *testing.T, w way, turn int)) {
	for i, check := range []string{"0", "1"} {
		t.Run("check="+check, func(t *testing.T) {
			t.Setenv("PVASRUN_CHECK", check)
			eachModel(t, func(t *testing.T, w way) { test(t, w, i+map[string]int{"pvas": 0, "sm": 1}[w.btl]) })
			t.Run("nodes", func(t *testing.T) { test(t, way{btl: "auto", entry: "coroutine", rsh: rshHere(t)}, i+2) })
		})
	}
}

// A call that one rank is refused changes nothing for anybody: right calls after it, of the same operation too, have
// right data, and all ranks have made the same number of calls at the end.
func TestRefusedCallsAreNone(t *testing.T) {
	program := build(t, "refused.c")
	eachCheck(t, func(t *testing.T, w way, turn int) {
		all := testkit.Counts(2, 3, 5, 6, 7, 13)
		if w.rsh != "" {
			all = []int{2, 5}
		}
		for i, ranks := range all {
			for _, bad := range testkit.Turn(turn+i, 0, 1, ranks-1) {
				args := []string{fmt.Sprint(bad), "repeats", "0"}
				if bad == 1 {
					args = append(args, "large")
				}
				require.Equal(t, "right\n", w.ends(t, ranks, program, args...), "%d ranks", ranks)
			}
		}
	})
}

// If the rank makes no other call on the communicator, the others wait for it. The job ends by the proof of the
// deadlock. The report says what the rank was refused, and why.
func TestRefusedCallThatIsLeftOut(t *testing.T) {
	program := build(t, "refused.c")
	t.Setenv("PVASRUN_DEADLOCK_AFTER", "300ms")
	eachCheck(t, func(t *testing.T, w way, turn int) {
		does := []string{"waits"}
		if os.Getenv("PVASRUN_CHECK") == "1" {
			does = append(does, "meets", "ends") // else the others may not wait for a rank that sends them nothing
		}
		for d, what := range does {
			for _, form := range testkit.Turn(turn+d, 0, 1, 2) {
				call := []string{"bcast", "ibcast", "bcast"}[form]
				for _, i := range testkit.Turn(form, 0, 1) {
					ranks := []int{2, 5}[i]
					stderr := w.locks(t, ranks, program, "1", what, fmt.Sprint(form), []string{"", "large"}[i])
					require.Contains(t, stderr, fmt.Sprintf(`rank 1 was refused a call before: %s on `+
						`"MPI_COMM_WORLD": root 99 is outside of 0..%d`, call, ranks-1))
					if what == "ends" {
						require.Regexp(t, "rank 1 is in MPI_Finalize, .*, which may be the one that was refused",
							stderr)
					}
				}
			}
		}
	})
}

// Without --check the calls that follow may meet others, and the wait is for one of them. The report says what was
// refused nevertheless.
func TestRefusedCallAmongOthers(t *testing.T) {
	program := build(t, "refused.c")
	t.Setenv("PVASRUN_DEADLOCK_AFTER", "300ms")
	t.Setenv("PVASRUN_CHECK", "0")
	eachModel(t, func(t *testing.T, w way) {
		require.Regexp(t, `rank 1 was refused a call before: gather on "MPI_COMM_WORLD": the count is -1`,
			w.locks(t, 3, program, "1", "gathers"))
	})
}

// locks runs a program that ends by the proof of a deadlock, and returns the report.
func (w way) locks(t *testing.T, ranks int, program string, args ...string) (stderr string) {
	t.Helper()
	_, stderr, code := w.start(t, ranks, program, args...)
	require.Equal(t, 125, code, stderr)
	require.Contains(t, stderr, "deadlock, proved")
	return stderr
}

// The string of an error says its cause, also on the other ranks of a collective call on a file.
func TestErrorStringsHaveCauses(t *testing.T) {
	program := build(t, "causes.c")
	eachWay(t, func(t *testing.T, w way) { w.ends(t, 3, program, filepath.Join(t.TempDir(), "file")) })
}

// Windows of different kinds are refused on all ranks, also where the steps that make them differ.
func TestWindowsOfDifferentKinds(t *testing.T) {
	program := build(t, "window_kinds.c")
	eachModel(t, func(t *testing.T, w way) {
		for _, kinds := range [][]string{{"create", "allocate"}, {"shared", "dynamic"}, {"allocate", "shared"},
			{"dynamic", "create"}} {
			require.Equal(t, "refused\n", w.ends(t, 3, program, kinds...), "%v", kinds)
		}
	})
}

// A program that passes a request twice is wrong, and learns nothing worse than that one of the two is complete.
func TestRequestThatIsPassedTwice(t *testing.T) {
	program := build(t, "twice.c")
	eachModel(t, func(t *testing.T, w way) {
		require.Equal(t, "1 complete, index 0, got 7\n", w.ends(t, 1, program))
	})
}

// An error that ends the job names the call in the source, and an object without a name by the call that has made it.
func TestErrorsNameTheirPlaces(t *testing.T) {
	program := build(t, "blamed.c", "-g", "-fno-inline")
	eachModel(t, func(t *testing.T, w way) {
		for what, text := range map[string]string{
			"put": "rank 0: MPI_Put on the window of MPI_Win_allocate (make at blamed.c:9): put to rank 0: " +
				"outside of the memory of the target: bytes 0 to 3 from displacement 100 on, in units of 4 bytes; " +
				"it has 40 bytes (MPI_ERR_RMA_RANGE), called by solve at blamed.c:17\n",
			"send": "rank 0: MPI_Send on the communicator of MPI_Comm_split (make at blamed.c:10): send to rank 99, " +
				"tag 0: rank 99 is outside 0..0 (MPI_ERR_RANK), called by solve at blamed.c:19\n",
			"string": "last of MPI_Win_unlock on the window of MPI_Win_allocate (make at blamed.c:9): ",
		} {
			_, stderr, code := w.start(t, 1, program, what)
			require.Equal(t, 1, code)
			require.Contains(t, stderr, text)
		}
	})
}
