package launcher

import (
	"bytes"
	"errors"
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
)

func startSleep(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("/bin/sleep", "1000")
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd.Process.Pid
}

// Eight ranks write lines in pieces; no line may hold another rank's text, and
// the lines of each rank come in order.
func TestOutputIsLineAtomic(t *testing.T) {
	const n, count = 8, 200
	eachBTL(t, func(t *testing.T, btl string) {
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
	eachBTL(t, func(t *testing.T, btl string) {
		for _, n := range []int{1, 2} { // passed through, and cut into lines
			j := ranks(btl, n, "-only", "0", "blob", fmt.Sprint(size))
			if n == 2 {
				j.Apps = []App{{Program: ranksProgram, Args: []string{"blob", fmt.Sprint(size)}, N: 1},
					{Program: ranksProgram, Args: []string{"true"}, N: 1}}
			}
			out := run(t, j)
			require.NoError(t, out.err)
			require.True(t, bytes.Equal(want, []byte(out.stdout)), "%d ranks: output differs", n)
		}
	})
}

func TestTags(t *testing.T) {
	eachBTL(t, func(t *testing.T, btl string) {
		j := ranks(btl, 12, "-only", "11", "say", "one\n\ntwo\nthree")
		j.Apps = []App{{Program: ranksProgram, Args: []string{"true"}, N: 11},
			{Program: ranksProgram, Args: []string{"say", "one\n\ntwo\nthree"}, N: 1}}
		j.TagOutput = true
		out := run(t, j)
		require.NoError(t, out.err)
		require.Equal(t, "[11]<stdout>: one\n[11]<stdout>: \n[11]<stdout>: two\n[11]<stdout>: three\n", out.stdout)
		require.Equal(t, "[11]<stderr>: one\n[11]<stderr>: \n[11]<stderr>: two\n[11]<stderr>: three\n", out.stderr)
	})
}

func TestOutputDir(t *testing.T) {
	eachBTL(t, func(t *testing.T, btl string) {
		dir := filepath.Join(t.TempDir(), "made", "here")
		j := ranks(btl, 11, "env", "PVAS_RANK")
		j.OutputDir = dir
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
	eachBTL(t, func(t *testing.T, btl string) {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		defer r.Close()
		go func() {
			io.WriteString(w, "to rank zero")
			w.Close()
		}()
		j := ranks(btl, 3, "cat")
		j.Stdin = r
		out := run(t, j)
		require.NoError(t, out.err)
		require.Equal(t, "to rank zero", out.stdout)
		j.Stdin = strings.NewReader("of no file")
		out = run(t, j)
		require.NoError(t, out.err)
		require.Equal(t, "of no file", out.stdout)
	})
}

// The reader of the output goes away, as in `pvasrun ... | head -1`.
func TestClosedOutputEndsTheJob(t *testing.T) {
	eachBTL(t, func(t *testing.T, btl string) {
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
	eachBTL(t, func(t *testing.T, btl string) {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		p := startPvasrunWith(t, ranks(btl, 2, "flood"), func(cmd *exec.Cmd) { cmd.Stdout = w })
		require.NoError(t, w.Close())
		head := make([]byte, 200)
		_, err = io.ReadFull(r, head)
		require.NoError(t, err)
		require.NoError(t, r.Close())
		require.Equal(t, 128+int(syscall.SIGPIPE), p.code())
		require.Empty(t, p.stderr.String())
		requireGone(t, pidsIn(string(head)))
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

// recorder keeps each write apart.
type recorder struct {
	writes [][]byte
	err    error
}

func (r *recorder) Write(b []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	r.writes = append(r.writes, bytes.Clone(b))
	return len(b), nil
}

// pass sends text through a stream in the given pieces and returns the writes.
func pass(t *testing.T, tagged, alone bool, pieces ...string) [][]byte {
	t.Helper()
	rec := &recorder{}
	out, _ := newSinks(rec, nil, func(error) {})
	var all streams
	far, err := all.open(newStream(out, 7, "stdout", tagged, alone))
	require.NoError(t, err)
	for _, piece := range pieces {
		_, err := io.WriteString(far, piece)
		require.NoError(t, err)
	}
	require.NoError(t, far.Close())
	all.drain(nil)
	return rec.writes
}

func TestHugeLine(t *testing.T) {
	line := strings.Repeat("x", 200_000)
	writes := pass(t, false, false, line+"\nnext")
	require.Equal(t, line+"\nnext", string(bytes.Join(writes, nil)))
	for _, w := range writes {
		require.LessOrEqual(t, len(w), maxLine)
	}
	for line := range bytes.Lines(bytes.Join(pass(t, true, false, line, "\n"), nil)) {
		require.True(t, bytes.HasPrefix(line, []byte("[7]<stdout>: x")))
		require.True(t, bytes.HasSuffix(line, []byte("x\n")))
	}
}

// Whole lines only, whatever the pieces a rank writes.
func TestStreamEmitsWholeLines(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	var text strings.Builder
	var pieces []string
	for range 2000 {
		piece := strings.Repeat("y", rnd.IntN(200))
		if rnd.IntN(3) == 0 {
			piece += "\n"
		}
		pieces = append(pieces, piece)
		text.WriteString(piece)
	}
	writes := pass(t, false, false, pieces...)
	require.Equal(t, text.String(), string(bytes.Join(writes, nil)))
	for _, w := range writes[:len(writes)-1] {
		require.Equal(t, byte('\n'), w[len(w)-1])
	}
}

// An idle stream that a stranger keeps open does not keep the job from ending.
func TestDrainEndsWithAStrangerOnThePipe(t *testing.T) {
	rec := &recorder{}
	out, _ := newSinks(rec, nil, func(error) {})
	var all streams
	far, err := all.open(newStream(out, 0, "stdout", false, false))
	require.NoError(t, err)
	defer far.Close()
	_, err = io.WriteString(far, "half a line")
	require.NoError(t, err)
	all.drain(nil)
	require.Equal(t, "half a line", string(bytes.Join(rec.writes, nil)))
}

func TestSinkTellsItsFirstErrorOnce(t *testing.T) {
	broken := errors.New("broken")
	told := 0
	out, _ := newSinks(&recorder{err: broken}, nil, func(err error) {
		require.Equal(t, broken, err)
		told++
	})
	out.write([]byte("a"))
	out.write([]byte("b"))
	require.Equal(t, 1, told)
}

// A message of pvasrun begins a line, whether what a rank has written last ends one
// or not, if both go to the same place.
func TestMessagesBeginALine(t *testing.T) {
	var both, other strings.Builder
	out, errs := newSinks(&both, &both, func(error) {})
	out.write([]byte("partial"))
	errs.writeLine([]byte("one\n"))
	errs.writeLine([]byte("two\n"))
	out.write([]byte("line\n"))
	errs.writeLine([]byte("three\n"))
	require.Equal(t, "partial\none\ntwo\nline\nthree\n", both.String())
	both.Reset()
	out, errs = newSinks(&both, &other, func(error) {})
	out.write([]byte("partial"))
	errs.writeLine([]byte("one\n"))
	require.Equal(t, "one\n", other.String())
}
