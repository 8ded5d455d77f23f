package programs

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// sizes are numbers of ranks: one, fewer than CPUs have work for, and more than CPUs.
var sizes = []int{1, 2, 3, 7}

func TestTypes(t *testing.T) {
	program := build(t, "types.c")
	eachWay(t, func(t *testing.T, w way) {
		for _, n := range turns(w, sizes...) {
			w.ends(t, n, program)
		}
	})
}

func TestOperators(t *testing.T) {
	program := build(t, "operators.c")
	eachWay(t, func(t *testing.T, w way) {
		for _, n := range turns(w, sizes...) {
			w.ends(t, n, program)
		}
	})
}

func TestWideNumbers(t *testing.T) {
	program := build(t, "wide.c")
	eachWay(t, func(t *testing.T, w way) {
		for _, n := range turns(w, sizes...) {
			w.ends(t, n, program)
		}
	})
}

func TestFortran(t *testing.T) {
	if _, err := exec.LookPath("gfortran"); err != nil {
		require.Empty(t, os.Getenv("CI"), "CI must have gfortran: %v", err)
		t.Skip("there is no gfortran")
	}
	for source, with := range map[string][]string{"fixed.f": nil, "module.f90": nil, "f08.f90": nil,
		"binding.f90": {"testdata/included.f90"}, "languages.f90": {"testdata/languages.c"}} {
		t.Run(source, func(t *testing.T) {
			program := build(t, source, with...)
			eachWay(t, func(t *testing.T, w way) {
				for _, n := range turns(w, sizes...) {
					require.Empty(t, w.ends(t, n, program))
				}
			})
		})
	}
}

// A section of an array that no datatype describes is an error, not a copy that goes with the call.
func TestSectionsOfFortran(t *testing.T) {
	needs(t, "gfortran")
	program := build(t, "f08.f90")
	eachModel(t, func(t *testing.T, w way) {
		_, stderr, code := w.start(t, 1, program, "refused")
		require.Equal(t, 0, code, stderr)
		for cause, call := range map[string]string{"copy it into an array": "Iallreduce",
			"its datatype must be that": "Isend", "it has fewer elements": "Isend"} {
			require.Contains(t, stderr, "rank 0: MPI_"+call+": a buffer that is used beyond the call is a section of "+
				"an array that is not contiguous: "+cause)
		}
	})
}

func TestHandlesOfFortran(t *testing.T) {
	eachWayEnds(t, 2, "handles.c")
}
