package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// The conformance cases of package mpi, run by ranks that really share an address
// space: the test binary of that package is the program.
func TestConformanceInOneAddressSpace(t *testing.T) {
	onlyInOneSpace(t)
	program := filepath.Join(t.TempDir(), "mpi.test")
	build := exec.Command("go", "test", "-c", "-buildmode=pie", "-o", program, "../../mpi")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for i, cases := range []string{"p2p", "communicators", "collectives", "nonblocking"} {
		for _, n := range testkit.Turn(i, testkit.Counts(1, 2, 5, 16)...) {
			t.Run(fmt.Sprintf("%s/ranks=%d", cases, n), func(t *testing.T) {
				got := command(t, env("JOBTEST_PROGRAM="+cases), "--btl", "pvas", "--timeout", "120", "-n",
					fmt.Sprint(n), program)
				require.Equal(t, 0, got.code, got.stderr)
			})
		}
	}
}
