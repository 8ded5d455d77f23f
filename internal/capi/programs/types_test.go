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
		for _, n := range sizes {
			w.ends(t, n, program)
		}
	})
}

func TestOperators(t *testing.T) {
	program := build(t, "operators.c")
	eachWay(t, func(t *testing.T, w way) {
		for _, n := range sizes {
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
				for _, n := range sizes {
					require.Empty(t, w.ends(t, n, program))
				}
			})
		})
	}
}

func TestHandlesOfFortran(t *testing.T) {
	eachWayEnds(t, 2, "handles.c")
}
