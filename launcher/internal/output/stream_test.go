package output

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// pass sends text through a stream in the given pieces and returns the writes.
func pass(t *testing.T, tagged, alone bool, pieces ...string) [][]byte {
	t.Helper()
	rec := &recorder{}
	out, _ := NewSinks(rec, nil, func(error) {})
	var all Streams
	var prefix func([]byte) []byte
	if tagged {
		prefix = func(to []byte) []byte { return append(to, "[7]<stdout>: "...) }
	}
	far, err := all.Open(NewStream(out, 7, prefix, alone, false))
	require.NoError(t, err)
	for _, piece := range pieces {
		_, err := io.WriteString(far, piece)
		require.NoError(t, err)
	}
	require.NoError(t, far.Close())
	all.Drain(nil)
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

// A prompt, which has no newline, is passed on while the rank waits for an answer. Text in blocks of a buffer that is
// full is none, and lines stay whole.
func TestPrompts(t *testing.T) {
	near, writes := io.Pipe()
	out, _ := NewSinks(writes, nil, func(error) {})
	var all Streams
	far, err := all.Open(NewStream(out, 0, nil, false, true))
	require.NoError(t, err)
	block := strings.Repeat("x", stdioBlock)
	for _, step := range []struct{ write, read string }{
		{"N = ", "N = "}, {"M", "M"}, {" = 7\nlast = ", " = 7\n"}, {"", "last = "}, {"8\n", "8\n"},
	} {
		_, err = io.WriteString(far, step.write)
		require.NoError(t, err)
		got := make([]byte, len(step.read))
		_, err := io.ReadFull(near, got)
		require.NoError(t, err)
		require.Equal(t, step.read, string(got))
	}
	require.NoError(t, far.Close())
	all.Drain(nil)

	rec := &recorder{}
	out, _ = NewSinks(rec, nil, func(error) {})
	st := NewStream(out, 0, nil, false, true)
	st.prompts = time.Nanosecond // before any text of the second block
	var other Streams
	far, err = other.Open(st)
	require.NoError(t, err)
	for _, text := range []string{block, "\n"} {
		_, err = io.WriteString(far, text)
		require.NoError(t, err)
	}
	require.NoError(t, far.Close())
	other.Drain(nil)
	require.Equal(t, [][]byte{[]byte(block + "\n")}, rec.writes)
}

// An idle stream that a stranger keeps open does not keep the job from ending.
func TestDrainEndsWithAStrangerOnThePipe(t *testing.T) {
	rec := &recorder{}
	out, _ := NewSinks(rec, nil, func(error) {})
	var all Streams
	far, err := all.Open(NewStream(out, 0, nil, false, true))
	require.NoError(t, err)
	defer far.Close()
	_, err = io.WriteString(far, "half a line")
	require.NoError(t, err)
	all.Drain(nil)
	require.Equal(t, "half a line", string(bytes.Join(rec.writes, nil)))
}

func TestSinkTellsItsFirstErrorOnce(t *testing.T) {
	broken := errors.New("broken")
	told := 0
	out, _ := NewSinks(&recorder{err: broken}, nil, func(err error) {
		require.Equal(t, broken, err)
		told++
	})
	out.Write([]byte("a"))
	out.Write([]byte("b"))
	require.Equal(t, 1, told)
}

// A message of pvasrun begins a line, whether what a rank has written last ends one
// or not, if both go to the same place.
func TestMessagesBeginALine(t *testing.T) {
	var both, other strings.Builder
	out, errs := NewSinks(&both, &both, func(error) {})
	out.Write([]byte("partial"))
	errs.WriteLine([]byte("one\n"))
	errs.WriteLine([]byte("two\n"))
	out.Write([]byte("line\n"))
	errs.WriteLine([]byte("three\n"))
	require.Equal(t, "partial\none\ntwo\nline\nthree\n", both.String())
	both.Reset()
	out, errs = NewSinks(&both, &other, func(error) {})
	out.Write([]byte("partial"))
	errs.WriteLine([]byte("one\n"))
	require.Equal(t, "one\n", other.String())
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
