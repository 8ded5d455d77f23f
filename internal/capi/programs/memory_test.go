package programs

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEmptyMemory: memory without bytes has its place.
func TestEmptyMemory(t *testing.T) { eachWayEnds(t, 3, "empty.c") }

// TestRepeats: who makes something again and again has the memory of the first times.
func TestRepeats(t *testing.T) {
	program := build(t, "repeats.c")
	eachModel(t, func(t *testing.T, w way) {
		t.Chdir(t.TempDir())
		_, stderr, code := run(t, nil, tool("mpiexec"), "-n", "2", "--btl", w.btl, "--timeout", "600", program, w.btl)
		require.Zero(t, code, stderr)
	})
}
