package rig

import (
	"encoding/json"
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

var (
	npbClass    = flag.String("rig.class", "S", "class of the NAS parallel benchmarks")
	npbPrograms = flag.String("rig.programs", "",
		"folder of those in Fortran and C, such as is.S.x, built with mpicc of install-mpi; empty: those in Go only")
)

// The NAS parallel benchmarks verify on several nodes: many messages of all lengths, and
// collective operations that cross the nodes. -rig.class A logs times that mean something.
// Sixteen ranks would find nothing more than eight, and on two CPUs mostly wait for a turn.
func TestNPB(t *testing.T) {
	t.Parallel()
	const ranks = 8
	for _, nodes := range testkit.Some(4, 2) {
		r := withSSH(t, nodes)
		kernels := []string{"is", "ft"}
		if testkit.Long() { // messages to neighbours only: example heat of pvasrun's tests sends them over nodes, too
			kernels = append(kernels, "cg", "mg")
		}
		for _, kernel := range kernels {
			t.Run(fmt.Sprintf("%s.%s on %d nodes", kernel, *npbClass, nodes), func(t *testing.T) {
				j := r.start(append(bySSH(r, ranks/nodes), pvasrun, "bench-rank", "npb", kernel, *npbClass), nil)
				require.Zero(t, j.wait(t, 4*time.Minute), &j.stderr)
				var result struct {
					Verified bool
					Seconds  float64
				}
				require.NoError(t, json.Unmarshal([]byte(j.stdout.String()), &result))
				require.True(t, result.Verified, &j.stdout)
				t.Logf("Go: %.3f s", result.Seconds)
				if *npbPrograms == "" {
					return
				}
				j = r.start(append(bySSH(r, ranks/nodes), "--wdir", t.TempDir(),
					filepath.Join(*npbPrograms, kernel+"."+*npbClass+".x")), nil)
				require.Zero(t, j.wait(t, 4*time.Minute), &j.stderr)
				require.Regexp(t, `(?i)verification *= *successful`, j.stdout.String())
				t.Logf("C or Fortran: %s", regexp.MustCompile(`Time in seconds.*`).FindString(j.stdout.String()))
			})
		}
	}
}
