package programs

import (
	"debug/elf"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Programs that Debian has built for Open MPI run as they are. .ci/run installs them.
func TestProgramsOfDebian(t *testing.T) {
	needs(t, "NPopenmpi")
	needs(t, "tachyon")
	scene := filepath.Join("testdata", "scene.dat")
	alone := filepath.Join(t.TempDir(), "alone.tga")
	_, stderr, code := run(t, nil, tool("mpiexec"), "-n", "1", "tachyon", scene, "-o", alone)
	require.Equal(t, 0, code, stderr)
	want, err := os.ReadFile(alone)
	require.NoError(t, err)
	said, stderr, code := run(t, nil, tool("pvasrun"), "info", "tachyon")
	require.Equal(t, 0, code, stderr)
	require.Contains(t, said, "(libmpi.so.40, for libtachyon.so.0)\n", "the tachyon of libtachyon-openmpi-0 is needed")
	require.Contains(t, said, openMPI()+"\n")
	eachModel(t, func(t *testing.T, w way) {
		curve := filepath.Join(t.TempDir(), "curve")
		_, stderr, code := w.start(t, 2, "NPopenmpi", "-i", "-u", "10000", "-n", "3", "-o", curve)
		require.Equal(t, 0, code, stderr)
		require.Equal(t, 23, strings.Count(stderr, "Integrity check passed"), stderr)
		for _, ranks := range turns(w, 2, 4) { // its ranks send from where they receive
			image := filepath.Join(t.TempDir(), strconv.Itoa(ranks)+".tga")
			w.ends(t, ranks, "tachyon", scene, "-o", image)
			got, err := os.ReadFile(image)
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
	})
}

// So do those for MPICH.
func TestProgramsOfDebianForMPICH(t *testing.T) {
	needs(t, "NPmpich2")
	said, stderr, code := run(t, nil, tool("pvasrun"), "info", "NPmpich2")
	require.Equal(t, 0, code, stderr)
	require.Contains(t, said, "MPICH (libmpi.so.12, for NPmpich2)\n")
	require.Contains(t, said, lib("libmpi.so.12")+"\n")
	eachModel(t, func(t *testing.T, w way) {
		curve := filepath.Join(t.TempDir(), "curve")
		_, stderr, code := w.start(t, 2, "NPmpich2", "-i", "-u", "10000", "-n", "3", "-o", curve)
		require.Equal(t, 0, code, stderr)
		require.Equal(t, 23, strings.Count(stderr, "Integrity check passed"), stderr)
	})
}

// Debian's mpi4py runs in one address space, as do the processes that its ranks start.
func TestDebiansMPI4Py(t *testing.T) {
	python := pvaspython(t)
	const where = "import importlib.util as u; print(u.find_spec('mpi4py.MPI').origin)"
	module, _, code := run(t, nil, python, "-c", where)
	file, err := elf.Open(strings.TrimSpace(module))
	if code != 0 || err != nil {
		t.Skip("this Python has no mpi4py (Debian: python3-mpi4py)")
	}
	defer file.Close()
	if libraries, err := file.ImportedLibraries(); err != nil || !slices.Contains(libraries, "libmpi.so.40") {
		t.Skip("the mpi4py of this Python was not built for Open MPI")
	}
	eachModel(t, func(t *testing.T, w way) {
		require.Equal(t, "6 there\n", w.ends(t, 4, python, filepath.Join("testdata", "forks.py")))
	})
}

// Open MPI takes a send buffer that is the place of what is sent in the result. Our own binary interface refuses it.
func TestAliases(t *testing.T) {
	program := faceProgram(t, "aliases.c")
	eachModel(t, func(t *testing.T, w way) { w.ends(t, 3, program) })
	_, stderr, code := way{btl: "sm", entry: "coroutine"}.start(t, 2, build(t, "aliases.c"))
	require.NotEqual(t, 0, code)
	require.Contains(t, stderr, "the send and the receive buffer overlap")
}
