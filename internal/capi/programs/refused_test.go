package programs

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
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

// A call that one rank is refused counts as this call. Ranks that need its part get an error, and right calls after it,
// of the same operation too, have right data.
func TestRefusedCallsCount(t *testing.T) {
	program := build(t, "refused.c")
	eachCheck(t, func(t *testing.T, w way, turn int) {
		all := testkit.Counts(2, 3, 5, 6, 7, 13)
		if w.rsh != "" {
			all = []int{2, 5}
		}
		for i, ranks := range all {
			for _, bad := range testkit.Turn(turn+i, 0, 1, ranks-1) {
				args := []string{fmt.Sprint(bad), "goes on", fmt.Sprint((turn + i) % 3)}
				if bad == 1 {
					args = append(args, "large")
				}
				require.Equal(t, "right\n", w.ends(t, ranks, program, args...), "%d ranks", ranks)
			}
		}
	})
}

// A refused call of long blocks, of which its rank does not know how many pieces others have, fails alone.
func TestRefusedCallsOfManyPieces(t *testing.T) {
	program := build(t, "refused_long.c")
	eachModel(t, func(t *testing.T, w way) {
		for _, ranks := range []int{2, 3} {
			require.Equal(t, "right\n", w.ends(t, ranks, program), "%d ranks", ranks)
		}
	})
}

// A rank that is refused a call which no other rank makes waits for nobody.
func TestRefusedCallAlone(t *testing.T) {
	program := build(t, "refused.c")
	eachCheck(t, func(t *testing.T, w way, _ int) {
		_, stderr, code := w.start(t, 2, program, "1", "alone", "0")
		require.Zero(t, code, stderr)
	})
}

// A rank that is refused a call, and frees the communicator, learns from the others which call it was. They may have
// freed the communicator before it asks. In one address space others wait for it but in a short broadcast.
func TestRefusedCallThenFree(t *testing.T) {
	program := build(t, "refused_then_free.c")
	test := func(t *testing.T, w way, ranks, calls int) {
		for last := range calls { // each kind of call, blocking and not
			for bad := range ranks {
				require.Equal(t, "right\n", w.ends(t, ranks, program, fmt.Sprint(last), fmt.Sprint(bad)))
			}
		}
	}
	eachModel(t, func(t *testing.T, w way) { test(t, w, 3, map[string]int{"pvas": 1, "sm": 6}[w.btl]) })
	t.Run("nodes", func(t *testing.T) { test(t, way{btl: "auto", entry: "coroutine", rsh: rshHere(t)}, 2, 6) })
}

// A collective call that one rank is refused, and a reduction after it.
func TestReductionAfterRefusedCall(t *testing.T) {
	program := build(t, "refused_then_reduce.c")
	eachCheck(t, func(t *testing.T, w way, _ int) { require.Equal(t, "sum 4\n", w.ends(t, 4, program)) })
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
			"dynamic": "put to rank 0: outside of the memory of the target: displacement -5: that of a dynamic " +
				"window is an address of the target (MPI_ERR_RMA_RANGE)",
			"attach": "(solve at blamed.c:21): the memory cannot be attached: not all of 4096 bytes at " +
				"0x4000000000000000 is memory of this process (MPI_ERR_RMA_ATTACH)",
			"string": "last of MPI_Win_unlock on the window of MPI_Win_allocate (make at blamed.c:9): ",
		} {
			_, stderr, code := w.start(t, 1, program, what)
			require.Equal(t, 1, code)
			require.Contains(t, stderr, text)
		}
		_, stderr, code := w.start(t, 2, program, "end") // either rank may be the one that is told first
		require.Equal(t, 1, code)
		require.Regexp(t, "here it was (a fence|the end) of the window, there (a fence|the end) of the window;", stderr)
	})
}
