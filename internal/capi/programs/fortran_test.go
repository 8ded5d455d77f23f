package programs

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A profiler in Fortran 2008 defines the names that the standard gives.
func TestProfilerInFortran(t *testing.T) {
	needs(t, "gfortran")
	program := build(t, "profiled.f90", "testdata/profiler.f90")
	eachWay(t, func(t *testing.T, w way) {
		for _, n := range turns(w, 1, 2, 3) {
			require.Empty(t, w.ends(t, n, program))
		}
	})
}

// mpif.h says the same whatever the defaults of the compiler are.
func TestDefaultKindsOfFortran(t *testing.T) {
	needs(t, "gfortran")
	for name, flags := range map[string][]string{
		"none": nil, "real-8": {"-fdefault-real-8"}, "double-8": {"-fdefault-real-8", "-fdefault-double-8"},
		"integer-8": {"-fdefault-integer-8", "-fdefault-real-16"},
	} {
		t.Run(name, func(t *testing.T) {
			program := filepath.Join(built, "kinds-"+name)
			args := append(flags, "testdata/kinds.f", "-o", program)
			out, err := exec.Command(tool("mpifort"), args...).CombinedOutput()
			require.NoError(t, err, "%s", out)
			if name == "integer-8" {
				require.Contains(t, string(out), "with -fdefault-integer-8 declare the arguments of MPI as INTEGER")
			} else {
				require.Empty(t, string(out))
			}
			eachModel(t, func(t *testing.T, w way) { require.Empty(t, w.ends(t, 2, program)) })
		})
	}
}
