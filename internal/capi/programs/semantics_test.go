package programs

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

func TestSemantics(t *testing.T) {
	program := build(t, "semantics.c")
	eachWay(t, func(t *testing.T, w way) {
		for _, n := range turns(w, sizes...) {
			w.ends(t, n, program)
		}
	})
}

// TestEdges: what the standard says of null and empty objects, of nobody, and of the end.
func TestEdges(t *testing.T) {
	program := build(t, "edges.c")
	eachWay(t, func(t *testing.T, w way) {
		for _, n := range turns(w, 1, 3) {
			w.ends(t, n, program)
			w.ends(t, n, program, "early session")
		}
	})
}

// TestSendsRunAhead: short sends return long before they are received.
func TestSendsRunAhead(t *testing.T) {
	eachWayEnds(t, 3, "ahead.c")
}

// TestSendsBeyondTheLimit: as many sends run ahead in both task models as the limit says. The next one waits for its
// receiver, which the report of a deadlock tells.
func TestSendsBeyondTheLimit(t *testing.T) {
	program := build(t, "ahead.c")
	eachModel(t, func(t *testing.T, w way) { // by cgo a rank that may have other threads is not proved deadlocked
		for _, bytes := range turns(w, 4, 1000, 4000) {
			_, stderr, code := w.start(t, 2, "--deadlock-after=1s", program, strconv.Itoa(bytes))
			require.Equal(t, 125, code, "%d bytes", bytes)
			least := (16 << 20) / (bytes + 512) // as docs/limits.md says
			require.Contains(t, stderr, fmt.Sprintf("\n%d sent\n", least))
			require.NotContains(t, stderr, fmt.Sprintf("\n%d sent\n", least+1000), "the ring has room for fewer")
			require.Regexp(t, fmt.Sprintf(`in MPI_Send .*waits for rank 1, tag 0, %d bytes`, bytes), stderr)
		}
	})
}

// TestLeft: with --check a rank tells at its end what it has not received, and not freed.
func TestLeft(t *testing.T) {
	program := build(t, "lost.c")
	eachWay(t, func(t *testing.T, w way) {
		warnings := func(args ...string) []string {
			_, stderr, code := w.start(t, 3, args[0], args[1:]...)
			require.Equal(t, 0, code, stderr)
			lines := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n")
			slices.Sort(lines)
			return lines
		}
		var always, checked []string
		for r := range 3 {
			warning := fmt.Sprintf("rank %d: finalize: warning: ", r)
			always = append(always, warning+"windows not freed: 1")
			checked = append(checked,
				warning+"attribute keys not freed: 1",
				warning+`communicators not freed: 2, the first "halo"`,
				warning+"datatypes not freed: 1",
				warning+"graphs not freed: 1",
				warning+"groups not freed: 1",
				warning+fmt.Sprintf("messages that this rank has not received: 1, the first of 4 bytes from rank %d, "+
					"tag 7", (r+2)%3),
				warning+"pieces of MPI_Alloc_mem not freed: 1",
				warning+"ports not closed: 1",
				warning+"windows not freed: 1")
		}
		require.Equal(t, always, warnings(program))
		require.Equal(t, checked, warnings("--check", program))
	})
}

// TestRefusedWhenChecked: memory that a call receives into twice, and integers of another sign.
func TestRefusedWhenChecked(t *testing.T) {
	program := build(t, "checked.c")
	eachModel(t, func(t *testing.T, w way) {
		for _, ranks := range turns(w, 2, 5) {
			w.ends(t, ranks, program)
			w.ends(t, ranks, "--check", program, "buffer")
			w.ends(t, ranks, "--check", program, "type")
		}
	})
}

func TestAttributes(t *testing.T) {
	eachWayEnds(t, 2, "attributes.c")
}

func TestTool(t *testing.T) {
	program := build(t, "tool.c")
	eachWay(t, func(t *testing.T, w way) {
		t.Setenv("WANT_BTL", w.btl)
		w.ends(t, 3, program)
	})
}

func TestOldPrograms(t *testing.T) {
	eachWayEnds(t, 2, "old.c")
}

// TestFiles: files of one rank and of several; nothing is left in the folder.
func TestFiles(t *testing.T) {
	program := build(t, "files.c")
	eachWay(t, func(t *testing.T, w way) {
		for _, n := range turns(w, 1, 2, 5, -2, -5) { // below 0: on two nodes
			if n < 0 {
				w.rsh, n = rshHere(t), -n
			}
			dir := t.TempDir()
			w.ends(t, n, program, dir)
			left, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Empty(t, left)
		}
	})
}

// TestFilesThatFail: a full device and one with errors are errors with the right class on all ranks, and nothing hangs.
// What is large is not.
func TestFilesThatFail(t *testing.T) {
	program := build(t, "files_fail.c")
	eachModel(t, func(t *testing.T, w way) {
		for _, rsh := range turns(w, "", rshHere(t)) {
			w.rsh = rsh
			w.ends(t, 3, program, "write", "/dev/full", "space")
			w.ends(t, 3, program, "write", "/proc/self/mem", "io") // nothing is mapped below the first 64 KiB
			w.ends(t, 3, program, "read", "/proc/self/mem", "io")
			w.ends(t, 3, program, "large", filepath.Join(t.TempDir(), "file"))
		}
	})
}

func TestWindows(t *testing.T) {
	program := build(t, "windows.c")
	eachWay(t, func(t *testing.T, w way) {
		for _, n := range turns(w, 1, 2, 5) {
			w.ends(t, n, program, w.btl)
		}
		w.rsh = rshHere(t)
		w.ends(t, 3, program, w.btl, "nodes")
	})
}

// TestAccumulates: all operators, whatever the layout; calls of any length at a time; threads in one epoch.
func TestAccumulates(t *testing.T) {
	program := build(t, "accumulates.c", "-pthread")
	eachWay(t, func(t *testing.T, w way) {
		for _, n := range turns(w, 2, 3) {
			w.ends(t, n, program)
		}
		w.ends(t, 2, program, "threads")
		w.rsh = rshHere(t)
		w.ends(t, 2, program, "on", "nodes")
	})
}

// TestReservedPages: memory of a program lies on the pages that the administrator has reserved.
func TestReservedPages(t *testing.T) {
	program := build(t, "pages.c")
	testkit.ReservedPages(t, 4)
	eachModel(t, func(t *testing.T, w way) {
		stdout, stderr, code := w.start(t, 2, "--huge-pages=reserved", program)
		require.Zero(t, code, stderr)
		want := "2048 2048\n"
		if w.btl == "sm" {
			want = "2048 4\n"
			require.Contains(t, stderr, "--huge-pages reserved: windows have none")
		}
		require.Equal(t, strings.Repeat(want, 2), stdout)
	})
}

// TestGivesWay: a test that finds nothing gives way to what it tests for.
func TestGivesWay(t *testing.T) {
	eachWayEnds(t, 2*runtime.NumCPU()+2, "gives_way.c")
}

// TestWindowsOfStrangers: created windows of processes that may not read one another's memory.
func TestWindowsOfStrangers(t *testing.T) {
	filter := filepath.Join(t.TempDir(), "filter")
	compile(t, "gcc", "../../../../launcher/testdata/filter/filter.c", filter)
	program := build(t, "windows.c")
	for _, n := range []string{"2", "5"} {
		stdout, stderr, code := run(t, nil, filter, "reading", tool("mpiexec"), "-n", n, "--btl", "sm",
			"--timeout", "120", program, "strangers")
		require.Zero(t, code, "%s%s", stdout, stderr)
		require.Empty(t, stderr)
	}
}

// TestGraphs: the extension MPIX_Graph.
func TestGraphs(t *testing.T) {
	program := build(t, "graphs.c")
	eachWay(t, func(t *testing.T, w way) {
		for _, n := range turns(w, 1, 2, 5) {
			w.ends(t, n, program)
		}
	})
}

// TestChecksOfWindows: --check tells of accesses that conflict, and of epochs that are none.
func TestChecksOfWindows(t *testing.T) {
	program := build(t, "window_checks.c")
	eachModel(t, func(t *testing.T, w way) {
		_, stderr, code := w.start(t, 2, "--check", program)
		require.Zero(t, code, stderr)
		require.Equal(t, 2, strings.Count(stderr, "warning: "), stderr)
		require.Contains(t, stderr, "a lock was taken between two fences, which begin and end an epoch")
	})
}

// TestFilesOnFullDisk is the same on a file system that has room for a page, where a write begins well.
func TestFilesOnFullDisk(t *testing.T) {
	own := []string{"--mount"}
	if os.Getuid() != 0 {
		own = append(own, "--map-root-user")
	}
	dir := t.TempDir()
	inside := func(script string, args ...string) (stderr string, code int) {
		script = `mount -t tmpfs -o size=4k none "$0" && : > "$0/file" && ` + script
		_, stderr, code = run(t, nil, "unshare", append(append(own, "sh", "-c", script, dir), args...)...)
		return stderr, code
	}
	if stderr, code := inside("true"); code != 0 {
		t.Skipf("no file system can be mounted here: %s", stderr)
	}
	program := build(t, "files_fail.c")
	eachModel(t, func(t *testing.T, w way) {
		stderr, code := inside(`exec "$@"`, tool("mpiexec"), "-n", "3", "--btl", w.btl, "--timeout", "60", program,
			"write", dir+"/file", "space")
		require.Zero(t, code, stderr)
	})
}

// deaths are where a rank may be, or others, when it is killed.
var deaths = []string{"exclusive", "shared", "all", "fence", "start", "wait", "free"}

// TestDeathsInEpochs: a rank is killed while it holds a lock, or while others wait for it. All others get an error.
func TestDeathsInEpochs(t *testing.T) {
	program := build(t, "window_deaths.c")
	eachModel(t, func(t *testing.T, w way) {
		var cases [][2]string
		for i, how := range deaths {
			for _, rsh := range testkit.Turn(i/2, "", rshHere(t)) {
				cases = append(cases, [2]string{how, rsh})
			}
		}
		for _, c := range turns(w, cases...) {
			const ranks = 4
			how := c[0]
			w.rsh = c[1]
			stdout, stderr, code := w.start(t, ranks, program, how)
			require.Equal(t, 137, code, "%s: %s%s", how, stdout, stderr)
			for rank := range ranks - 1 {
				require.Contains(t, stdout, fmt.Sprintf("rank %d is told\n", rank), "%s: %s", how, stderr)
			}
			require.Equal(t, ranks-1, strings.Count(stdout, "is told"))
		}
	})
}

// TestUnattended: nonblocking operations over nodes go on while a rank makes no call, but for operators of the program.
func TestUnattended(t *testing.T) {
	program := build(t, "unattended.c")
	eachWay(t, func(t *testing.T, w way) {
		w.rsh = rshHere(t)
		w.ends(t, 3, "--coll", "ibcast=chain", program, t.TempDir())
	})
}
