package programs

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The examples say the same with any number of ranks.
func TestExamples(t *testing.T) {
	for source, want := range map[string]string{
		"pi.c":     "%d ranks say that pi is 3.141592654\n",
		"graph.c":  "%d ranks have 4194304 bytes each: right\n",
		"lu.c":     "lu: 512 rows by %d ranks: right; ",
		"sort.cc":  "%d ranks sorted %d00000 numbers: in order\n",
		"heat.f90": "%d ranks: the rod has  13.092 degrees on average\n",
	} {
		t.Run(source, func(t *testing.T) {
			if filepath.Ext(source) == ".f90" {
				needs(t, "gfortran")
			}
			program := build(t, filepath.Join("../../../../examples/c", source))
			eachWay(t, func(t *testing.T, w way) {
				for _, n := range turns(w, 1, 2, 5) {
					line := fmt.Sprintf(want, n)
					if source == "sort.cc" {
						line = fmt.Sprintf(want, n, n)
					}
					require.Contains(t, w.ends(t, n, program), line)
				}
			})
		})
	}
}

// What a call takes is printed for each call.
func TestCallTimes(t *testing.T) {
	program := build(t, "../../../../examples/c/calls.c")
	eachWay(t, func(t *testing.T, w way) {
		require.Regexp(t, `^(MPI_\w+(, per complete \w+)? +\d+\.\d ns\n){6}$`, w.ends(t, 2, program, "20"))
	})
}
