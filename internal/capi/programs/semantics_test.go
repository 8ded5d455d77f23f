package programs

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSemantics(t *testing.T) {
	program := build(t, "semantics.c")
	eachWay(t, func(t *testing.T, w way) {
		for _, n := range sizes {
			w.ends(t, n, program)
		}
	})
}

func TestAttributes(t *testing.T) {
	program := build(t, "attributes.c")
	eachWay(t, func(t *testing.T, w way) { w.ends(t, 2, program) })
}

func TestTool(t *testing.T) {
	program := build(t, "tool.c")
	eachWay(t, func(t *testing.T, w way) {
		t.Setenv("WANT_BTL", w.btl)
		w.ends(t, 3, program)
	})
}

func TestOldPrograms(t *testing.T) {
	program := build(t, "old.c")
	eachWay(t, func(t *testing.T, w way) { w.ends(t, 2, program) })
}

// The calls of files return, and say that they are not there.
func TestFiles(t *testing.T) {
	program := build(t, "files.c")
	eachWay(t, func(t *testing.T, w way) {
		_, stderr, code := w.start(t, 1, program)
		require.Zero(t, code, stderr)
		require.Contains(t, stderr, "MPI_File_open: this function is not there yet")
	})
}
