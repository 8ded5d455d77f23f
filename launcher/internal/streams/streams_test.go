package streams

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/launcher/internal/part"
)

// script is the streams of ranks that are no processes: the test writes and reads what they would.
func script(t *testing.T, c Config, ranks int) *Streams {
	c.Begins, c.Here, c.Ranks = ranks, ranks, func() int { return ranks }
	s := New(c)
	require.False(t, s.Opened())
	require.NoError(t, s.OpenDir())
	require.NoError(t, s.Open())
	t.Cleanup(s.Close)
	return s
}

// files are those of a rank, which closes its output by its end.
func files(t *testing.T, s *Streams, rank int) *Files {
	f, err := s.ForRank(rank)
	require.NoError(t, err)
	t.Cleanup(f.Close)
	return f
}

// The output of ranks comes in whole lines, each with its rank, and messages between them.
func TestTags(t *testing.T) {
	var out, errs bytes.Buffer
	var o Output
	o.Tag()
	s := script(t, Config{Stdout: &out, Stderr: &errs, Output: o, Prefix: "node: "}, 2)
	first, second := files(t, s, 0), files(t, s, 1)
	_, err := io.WriteString(first.All[1], "half of a ")
	require.NoError(t, err)
	_, err = io.WriteString(second.All[1], "other\n")
	require.NoError(t, err)
	second.Close()
	s.LastWords(1)
	require.Equal(t, "[1]<stdout>: other\n", out.String())
	s.Say("rank %d has ended", 1)
	_, err = io.WriteString(first.All[1], "line\n")
	require.NoError(t, err)
	first.Close()
	s.Drain(nil)
	s.Flush()
	require.Equal(t, "[1]<stdout>: other\n[0]<stdout>: half of a line\n", out.String())
	require.Equal(t, "pvasrun: node: rank 1 has ended\n", errs.String())
}

// All ranks that the job begins with read the same input, and then its end. One that is added reads none.
func TestInputForAll(t *testing.T) {
	s := script(t, Config{Stdin: strings.NewReader("text"), StdinTo: part.AllReaders}, 2)
	first, second := files(t, s, 0), files(t, s, 1)
	s.Ranks = func() int { return 3 }
	added := files(t, s, 2)
	for _, f := range []*Files{first, second} {
		text, err := io.ReadAll(f.All[0])
		require.NoError(t, err)
		require.Equal(t, "text", string(text))
	}
	text, err := io.ReadAll(added.All[0])
	require.NoError(t, err)
	require.Empty(t, text)
}

// The input of a rank ends if another rank is never started, and nothing is left open.
func TestInputOfAJobThatDoesNotStart(t *testing.T) {
	s := New(Config{Stdin: strings.NewReader("text"), StdinTo: part.AllReaders, Begins: 2, Here: 2,
		Ranks: func() int { return 2 }})
	require.NoError(t, s.Open())
	first := files(t, s, 0)
	s.Close()
	input := int(first.All[0].Fd())
	require.NoError(t, syscall.SetNonblock(input, true))
	n, err := syscall.Read(input, make([]byte, 1))
	require.NoError(t, err, "its other end is open")
	require.Zero(t, n)
}

// Ranks write into files of their own if there is a directory for the output.
func TestOutputDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	var o Output
	o.GoTo(dir)
	s := script(t, Config{Output: o}, 11)
	f := files(t, s, 3)
	_, err := io.WriteString(f.All[2], "text")
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(dir, "rank.03.stderr"))
	require.NoError(t, err)
	require.Equal(t, "text", string(text))
	require.NoError(t, s.Full())
	require.NoError(t, os.RemoveAll(dir))
	_, err = s.ForRank(4)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorAs(t, err, new(FileError))
	o.GoTo("/dev/null/x")
	require.Error(t, New(Config{Output: o, Ranks: func() int { return 1 }}).OpenDir())
}

// closed takes nothing.
type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, errors.New("closed") }

// The first error of the standard output is told.
func TestFailedOutput(t *testing.T) {
	s := script(t, Config{Stdout: closed{}}, 1)
	f := files(t, s, 0)
	_, err := io.WriteString(f.All[1], "text\n")
	require.NoError(t, err)
	f.Close()
	require.EqualError(t, <-s.Failed(), "closed")
	s.Drain(nil)
}

// Patterns name the rank, the stream, the node and the time. A file that is not named after ranks is for all of them.
func TestPatterns(t *testing.T) {
	var out bytes.Buffer
	dir := t.TempDir()
	s := script(t, Config{Stdout: &out, Node: "n1", Output: Output{Prefix: "%T %h:%0r/%r %s%% ",
		Files: [2]string{1: filepath.Join(dir, "new", "%s.%h")}}}, 11)
	for _, rank := range []int{2, 10} {
		f := files(t, s, rank)
		_, err := fmt.Fprintln(f.All[1], "text")
		require.NoError(t, err)
		_, err = fmt.Fprintln(f.All[2], rank)
		require.NoError(t, err)
		f.Close()
		s.LastWords(rank)
	}
	require.Regexp(t, `^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6} n1:02/2 stdout% text\n`+
		`20\S* n1:10/10 stdout% text\n$`, out.String())
	text, err := os.ReadFile(filepath.Join(dir, "new", "stderr.n1"))
	require.NoError(t, err)
	require.Equal(t, "2\n10\n", string(text))
}

func TestDevices(t *testing.T) {
	for dir, want := range map[string]bool{"/dev": true, "/dev/pts": true, "/dev/shm": false, "/dev/shm/out": false,
		"/development": false, "/tmp/dev": false} {
		require.Equal(t, want, ofDevices(dir), dir)
	}
}

// With Merge both streams of a rank are one, in the order in which it wrote.
func TestMerge(t *testing.T) {
	var out, errs bytes.Buffer
	s := script(t, Config{Stdout: &out, Stderr: &errs, Output: Output{Merge: true}}, 2)
	f := files(t, s, 1)
	for i, text := range []string{"a", "b", "c\n"} {
		_, err := io.WriteString(f.All[1+i%2], text)
		require.NoError(t, err)
	}
	f.Close()
	s.LastWords(1)
	require.Equal(t, "abc\n", out.String())
	require.Empty(t, errs.String())
}

func TestCheckOfPatterns(t *testing.T) {
	for text, right := range map[string]bool{"": true, "%r": true, "%0r%%%h%s": true, "%": false, "a%": false,
		"%x": false, "%0": false, "%%r%": false, "%%T": true, "%0T": false, "%,": false} {
		for _, o := range []Output{{Prefix: text}, {Files: [2]string{text}}, {Files: [2]string{1: text}}} {
			require.Equal(t, right, o.Check() == nil, text)
		}
	}
	require.NoError(t, (&Output{Prefix: "%T %T"}).Check())
	require.ErrorContains(t, (&Output{Files: [2]string{"%T"}}).Check(), `"%T": %T means nothing: the signs are %r, %0r`)
}

// A time stands where a pattern says so, as often as it does, and nowhere else.
func TestTimesOfPrefixes(t *testing.T) {
	const text = "%%T %T|%0r%%|%T"
	require.NoError(t, (&Output{Prefix: text}).Check())
	require.Regexp(t, `^%T \d{4}-\d\d-\d\dT[0-9:.]+\|03%\|\d{4}-[0-9T:.-]+$`,
		string(pattern{rank: 3, ranks: 11}.prefixOf(text)(nil)))
}

// A pipe is opened if it has a reader, and the rank's writes to it wait.
func TestPipes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(name, 0o600))
	s := &Streams{made: map[string]bool{}}
	_, err := s.openFile(name, false)
	require.ErrorContains(t, err, "start what reads this pipe first")
	reader, err := os.OpenFile(name, os.O_RDWR, 0)
	require.NoError(t, err)
	defer reader.Close()
	f, err := s.openFile(name, false)
	require.NoError(t, err)
	defer f.Close()
	flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, f.Fd(), syscall.F_GETFL, 0)
	require.Zero(t, errno)
	require.Zero(t, flags&syscall.O_NONBLOCK)
}
