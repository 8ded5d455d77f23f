package programs

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/pvas"
)

// TestLeavesOut: a rank that leaves out a call and goes to MPI_Finalize meets none of the others' calls
// there. It is named: while the others wait for it, or at the end if nobody had to.
func TestLeavesOut(t *testing.T) {
	program := build(t, "leaves_out.c")
	for i, call := range []string{"barrier", "bcast", "ibcast", "alltoall", "dup", "recv", "exit"} {
		for _, btl := range testkit.Turn(i, "pvas", "sm") {
			if btl == "pvas" && pvas.Supported() != nil {
				continue // another test says so
			}
			for _, check := range testkit.Some(true, false) {
				t.Run(fmt.Sprintf("btl=%s/%s/check=%v", btl, call, check), func(t *testing.T) {
					t.Parallel()
					args := []string{"-n", "4", "--btl", btl, "--timeout", "15", program, call}
					if check {
						args = append([]string{"--check"}, args...)
					}
					_, stderr, code := run(t, nil, tool("mpiexec"), args...)
					require.NotZero(t, code, stderr)
					require.Regexp(t, `rank 1 is in MPI_Finalize, and rank [023] waits for it in MPI_`+
						`|rank 1 has called Finalize after 0 collective operations on the communicator of all `+
						`ranks, rank 0 after 1: `+
						`|rank 1 \(pid [0-9]+, \S+\) on \S+ exited with code 0 after Init and without Finalize`, stderr)
					require.NotContains(t, stderr, "called different operations")
				})
			}
		}
	}
}
