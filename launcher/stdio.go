package launcher

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/launcher/internal/output"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// stdio makes the three standard files of each rank.
type stdio struct {
	job      *Job
	messages *output.Queue // of this process, to err
	out, err *output.Sink
	streams  output.Streams
	null     *os.File
	space    *os.File              // see full; nil: not known
	input    *output.TerminalInput // nil: Stdin is no terminal
	readers  []io.WriteCloser      // the input of ranks, until all of them are there
}

func newStdio(j *Job, messages *output.Queue, failed func(error)) (*stdio, error) {
	s := &stdio{job: j, messages: messages}
	s.out, s.err = output.NewSinks(j.Stdout, j.Stderr, failed)
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, fmt.Errorf("launcher: %w", err)
	}
	s.null = null
	if j.OutputDir != "" {
		if err := s.openDir(); err != nil {
			_ = null.Close()
			return nil, mistake{fmt.Errorf("launcher: output directory %s: %w", j.OutputDir, err)}
		}
	}
	return s, nil
}

// openDir makes the output directory, and in it the file without a name that full writes to. One that has
// no room for another file may still have room for what is written to those that are there.
func (s *stdio) openDir() error {
	if err := os.MkdirAll(s.job.OutputDir, 0o777); err != nil {
		return withoutName(err)
	}
	f, err := os.CreateTemp(s.job.OutputDir, ".space")
	if isFull(err) {
		return nil
	}
	if err != nil {
		return withoutName(err)
	}
	s.space = f
	return withoutName(os.Remove(f.Name()))
}

// withoutName is an error of a file without the name of that file.
func withoutName(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

func (s *stdio) close() {
	s.null.Close()
	if s.space != nil {
		s.space.Close()
	}
	if s.input != nil {
		s.input.Close()
	}
}

// say writes one line of the supervisor itself, without waiting for a reader that
// does not read.
func (s *stdio) say(format string, args ...any) {
	line := fmt.Appendf(nil, "pvasrun: "+s.job.Part.Prefix()+format+"\n", args...)
	s.messages.Put(func() { s.err.WriteLine(line) })
}

// rankFiles are the standard files of a rank while it is being started.
type rankFiles struct {
	files [3]*os.File
	owned []*os.File // to be closed here once the rank has them
}

func (f *rankFiles) close() {
	for _, file := range f.owned {
		file.Close()
	}
	f.owned = nil
}

func (f *rankFiles) set(i int, file *os.File) {
	f.files[i] = file
	f.owned = append(f.owned, file)
}

// forRank opens the standard files of a rank, by its number in the job. The caller closes them.
func (s *stdio) forRank(rank int) (*rankFiles, error) {
	f := &rankFiles{}
	f.files[0] = s.null
	if s.job.Stdin != nil && s.reads(rank) {
		if err := s.giveInput(f); err != nil {
			return nil, err
		}
	}
	for fd, name := range []string{1: "stdout", 2: "stderr"} {
		if fd == 0 {
			continue
		}
		file, err := s.openOutput(rank, fd, name)
		if err != nil {
			f.close()
			return nil, err
		}
		f.set(fd, file)
	}
	return f, nil
}

// reads tells whether a rank is to have the input.
func (s *stdio) reads(rank int) bool { return part.Readers(s.job.StdinTo).Has(rank, s.job.Total()) }

func (s *stdio) openOutput(rank, fd int, name string) (*os.File, error) {
	n := s.job.Total()
	if s.job.OutputDir != "" {
		width := len(strconv.Itoa(n - 1))
		file := fmt.Sprintf("rank.%0*d.%s", width, rank, name)
		f, err := os.Create(filepath.Join(s.job.OutputDir, file))
		if err != nil {
			return nil, outputError{err}
		}
		return f, nil
	}
	to := s.out
	if fd == 2 {
		to = s.err
	}
	prompts := s.reads(rank) && output.Answers(s.job.Stdin)
	return s.streams.Open(output.NewStream(to, rank, name, s.job.TagOutput, n == 1, prompts))
}

// full returns an error if the output directory takes no more. Ranks write there themselves, and
// many do not look whether a write has failed. It may block.
func (s *stdio) full() error {
	if s.space == nil {
		return nil
	}
	_, err := s.space.Write(make([]byte, 4096))
	if err = errors.Join(err, s.space.Sync()); isFull(err) { // a file system of a network says it then
		return fmt.Errorf("%s: %w", s.job.OutputDir, withoutName(err))
	}
	return nil
}

// An outputError is that of a file in the output directory.
type outputError struct{ error }

func (e outputError) Unwrap() error { return e.error }

// giveInput hands a rank the input itself, if it is a file and no other rank reads. A terminal cannot be handed over:
// the rank is in a background process group of it and would be stopped at its first read, so the supervisor reads and
// passes on.
func (s *stdio) giveInput(f *rankFiles) error {
	terminal, one := output.TerminalOf(s.job.Stdin), part.Readers(s.job.StdinTo) != part.AllReaders
	if file, ok := s.job.Stdin.(*os.File); ok && one && terminal == nil {
		f.files[0] = file
		return nil
	}
	near, far, err := sys.Pipe(true)
	if err != nil {
		return err
	}
	f.set(0, far)
	if terminal != nil && one {
		awaited := func() bool { return output.Awaited(near) }
		if s.input, err = output.PassTerminal(terminal, near, awaited); err != nil {
			f.close()
			near.Close()
		}
		return err
	}
	if one {
		go func() {
			defer near.Close()
			_, _ = io.Copy(near, s.job.Stdin) // an error: there is no more, or the rank reads no more
		}()
		return nil
	}
	if s.readers = append(s.readers, near); len(s.readers) < s.job.size() {
		return nil
	}
	return s.spread(terminal)
}

// spread begins to pass the input on to all ranks here. A terminal is read ahead: some rank may wait.
func (s *stdio) spread(terminal *os.File) (err error) {
	from := s.job.Stdin
	if terminal != nil {
		if s.input, from, err = output.ReadTerminal(terminal, func() bool { return true }); err != nil {
			return err
		}
	}
	output.Spread(from, s.readers)
	s.readers = nil
	return nil
}
