package launcher

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/launcher/internal/launchertest"
)

// Eight ranks write lines in pieces; no line may hold another rank's text, and
// the lines of each rank come in order.
func TestOutputIsLineAtomic(t *testing.T) {
	const n, count = 8, 200
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		out := run(t, ranks(btl, n, "lines", fmt.Sprint(count)))
		require.NoError(t, out.err)
		next := make([]int, n)
		for line := range strings.Lines(out.stdout) {
			var rank, i int
			_, err := fmt.Sscanf(line, "%d:%d:", &rank, &i)
			require.NoError(t, err, line)
			require.Equal(t, next[rank], i)
			next[rank]++
			want := fmt.Sprintf("%d:%d:%s:end\n", rank, i, strings.Repeat(string(rune('a'+rank)), i*37%5000))
			require.Equal(t, want, line)
		}
		for rank := range n {
			require.Equal(t, count, next[rank])
		}
	})
}

func TestOutputIsByteExact(t *testing.T) {
	const size = 300_000
	r := rand.New(rand.NewPCG(0, 1))
	want := make([]byte, size)
	for i := range want {
		want[i] = byte(r.Uint32())
	}
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		for _, n := range []int{1, 2} { // passed through, and cut into lines
			j := ranks(btl, n, "-only", "0", "blob", fmt.Sprint(size))
			if n == 2 {
				j.Apps = []App{{Program: launchertest.RanksProgram, Args: []string{"blob", fmt.Sprint(size)}, N: 1},
					{Program: launchertest.RanksProgram, Args: []string{"true"}, N: 1}}
			}
			out := run(t, j)
			require.NoError(t, out.err)
			require.True(t, bytes.Equal(want, []byte(out.stdout)), "%d ranks: output differs", n)
		}
	})
}

func TestTags(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		j := ranks(btl, 12, "-only", "11", "say", "one\n\ntwo\nthree")
		j.Apps = []App{{Program: launchertest.RanksProgram, Args: []string{"true"}, N: 11},
			{Program: launchertest.RanksProgram, Args: []string{"say", "one\n\ntwo\nthree"}, N: 1}}
		j.Output.Tag()
		out := run(t, j)
		require.NoError(t, out.err)
		require.Equal(t, "[11]<stdout>: one\n[11]<stdout>: \n[11]<stdout>: two\n[11]<stdout>: three\n", out.stdout)
		require.Equal(t, "[11]<stderr>: one\n[11]<stderr>: \n[11]<stderr>: two\n[11]<stderr>: three\n", out.stderr)
	})
}

func TestOutputDir(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		dir := filepath.Join(t.TempDir(), "made", "here")
		j := ranks(btl, 11, "env", "PVAS_RANK")
		j.Output.GoTo(dir)
		out := run(t, j)
		require.NoError(t, out.err)
		require.Empty(t, out.stdout+out.stderr)
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, entries, 22)
		for rank := range 11 {
			text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("rank.%02d.stdout", rank)))
			require.NoError(t, err)
			require.Equal(t, fmt.Sprintf("PVAS_RANK=%d\n", rank), string(text))
		}
	})
}

func TestInputGoesToRankZero(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		defer r.Close()
		_, err = io.WriteString(w, "to rank zero")
		require.NoError(t, err)
		j := ranks(btl, 3, "cat")
		shown := &launchertest.Reader{Text: "to rank zero", Then: func() { w.Close() }} // without a newline
		j.Stdin, j.Stdout = r, shown
		require.NoError(t, run(t, j).err)
		require.Equal(t, "to rank zero", shown.String())
		j.Stdin, j.Stdout = strings.NewReader("of no file"), nil
		out := run(t, j)
		require.NoError(t, out.err)
		require.Equal(t, "of no file", out.stdout)
	})
}

// The reader of the output goes away, as in `pvasrun ... | head -1`.
func TestClosedOutputEndsTheJob(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		defer w.Close()
		j := ranks(btl, 2, "flood")
		j.Stdout = w
		time.AfterFunc(0, func() {
			io.ReadFull(r, make([]byte, 1000))
			r.Close()
		})
		out := run(t, j)
		require.NoError(t, out.err)
		require.Equal(t, 128+int(syscall.SIGPIPE), out.Code)
		require.Empty(t, out.stderr)
	})
}

// The same at the descriptor whose SIGPIPE the Go library would die of.
func TestClosedStandardOutputEndsTheJob(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		p := startPvasrun(t, ranks(btl, 2, "flood"), func(cmd *exec.Cmd) { cmd.Stdout = w })
		require.NoError(t, w.Close())
		head := make([]byte, 200)
		_, err = io.ReadFull(r, head)
		require.NoError(t, err)
		require.NoError(t, r.Close())
		require.Equal(t, 128+int(syscall.SIGPIPE), p.Code())
		require.Empty(t, p.Stderr.String())
		whole := head[:bytes.LastIndexByte(head, '\n')+1]
		launchertest.RequireGone(t, launchertest.PidsIn(string(whole)))
	})
}

func TestOutputError(t *testing.T) {
	j := ranks(btlSM, 2, "flood")
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	defer full.Close()
	j.Stdout = full
	out := run(t, j)
	require.NoError(t, out.err)
	require.Equal(t, 1, out.Code)
	require.Regexp(t, `^pvasrun: write output: .*no space left on device; (ending [12] ranks?|no rank was running)\n$`,
		out.stderr)
}
