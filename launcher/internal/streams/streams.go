package streams

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/output"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// A Config says where the streams of a job begin and end: see the fields of launcher.Job.
type Config struct {
	Stdin          io.Reader
	StdinTo        part.Readers
	Stdout, Stderr io.Writer
	Output         Output
	Node           string     // name of this one
	Begins, Here   int        // ranks that the job begins with, and those of them on this node
	Ranks          func() int // of the job by now
	Prefix         string     // of messages
}

// Streams makes the three standard files of each rank, and passes on what comes of them. It writes the messages of this
// process, too. One goroutine at a time opens the files of a rank. Open, OpenDir and Close exclude all other calls. Any
// goroutine may call the other methods at any time.
type Streams struct {
	Config
	output.Queue // of messages and the log: none waits for a reader that does not read
	out, err     *output.Sink
	ranks        output.Streams
	failed       chan error            // the first error of Stdout
	null         *os.File              // nil until Open
	space        *os.File              // see Full; nil: not known
	made         map[string]bool       // files of Output
	input        *output.TerminalInput // nil: Stdin is no terminal
	readers      []io.WriteCloser      // the input of ranks, until all of them are there
}

// New returns the streams of a job. Until Open there are no files of ranks.
func New(c Config) *Streams {
	s := &Streams{Config: c, failed: make(chan error, 1), made: map[string]bool{}}
	s.out, s.err = output.NewSinks(c.Stdout, c.Stderr, func(err error) { s.failed <- err })
	return s
}

// Open is called before the first rank is started.
func (s *Streams) Open() error {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return fmt.Errorf("launcher: %w", err)
	}
	s.null = null
	return nil
}

// Opened tells whether there may be output of ranks.
func (s *Streams) Opened() bool { return s.null != nil }

// OpenDir makes the directories for the output, if there are any that are not named after ranks.
func (s *Streams) OpenDir() error {
	for _, file := range s.Output.Files {
		dir := filepath.Dir(file)
		if file == "" || ofRank(dir) {
			continue
		}
		dir = s.pattern(0, "").expand(dir)
		if err := s.openDir(dir); err != nil {
			return fmt.Errorf("launcher: output directory %s: %w", dir, err)
		}
	}
	return nil
}

func (s *Streams) pattern(rank int, stream string) pattern {
	return pattern{rank: rank, ranks: s.Ranks(), stream: stream, node: s.Node}
}

// Failed brings the first error of Stdout.
func (s *Streams) Failed() <-chan error { return s.failed }

// Pass writes output of ranks elsewhere to Stdout or Stderr. It may block: functions in the queue call it.
func (s *Streams) Pass(b []byte, errors bool) {
	to := s.out
	if errors {
		to = s.err
	}
	to.Write(b)
}

// LastWords waits for what a rank that has ended has written: for some time at most.
func (s *Streams) LastWords(number int) { s.ranks.LastWords(number) }

// Drain passes on the rest in the pipes, until giveUp is closed.
func (s *Streams) Drain(giveUp <-chan struct{}) { s.ranks.Drain(giveUp) }

// openDir makes a directory of output, and in the first one the file without a name that Full writes to. One that has
// no room for another file may still have room for what is written to those that are there.
func (s *Streams) openDir(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return withoutName(err)
	}
	if s.space != nil || ofDevices(dir) {
		return nil
	}
	f, err := os.CreateTemp(dir, ".space")
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

// Close gives the files back.
func (s *Streams) Close() {
	s.null.Close()
	if s.space != nil {
		s.space.Close()
	}
	if s.input != nil {
		s.input.Close()
	}
	for _, near := range s.readers { // a rank could not be started
		near.Close()
	}
}

// Say writes one line of this process itself, without waiting for a reader that
// does not read.
func (s *Streams) Say(format string, args ...any) {
	line := fmt.Appendf(nil, "pvasrun: "+s.Prefix+format+"\n", args...)
	s.Put(func() { s.err.WriteLine(line) })
}

// Files are the standard files of a rank while it is being started.
type Files struct {
	All   [3]*os.File
	owned []*os.File // to be closed here once the rank has them
}

// Close closes what is to be closed here once the rank has it.
func (f *Files) Close() {
	for _, file := range f.owned {
		file.Close()
	}
	f.owned = nil
}

func (f *Files) set(i int, file *os.File) {
	f.All[i] = file
	f.owned = append(f.owned, file)
}

// ForRank opens the standard files of a rank, by its number in the job. The caller closes them.
func (s *Streams) ForRank(rank int) (*Files, error) {
	f := &Files{}
	f.All[0] = s.null
	if s.Stdin != nil && s.reads(rank) {
		if err := s.giveInput(f); err != nil {
			f.Close()
			return nil, err
		}
	}
	for fd, name := range []string{1: "stdout", 2: "stderr"} {
		if fd == 0 {
			continue
		}
		if fd == 2 && s.Output.Merge {
			f.All[2] = f.All[1]
			continue
		}
		file, err := s.openOutput(rank, fd, name)
		if err != nil {
			f.Close()
			return nil, err
		}
		f.set(fd, file)
	}
	return f, nil
}

// reads tells whether a rank is to have the input.
func (s *Streams) reads(rank int) bool { return s.StdinTo.Has(rank, s.Begins) }

func (s *Streams) openOutput(rank, fd int, name string) (*os.File, error) {
	p := s.pattern(rank, name)
	if file := s.Output.Files[fd-1]; file != "" {
		return s.openFile(p.expand(file), ofRank(filepath.Dir(file)))
	}
	to := s.out
	if fd == 2 {
		to = s.err
	}
	prompts := s.reads(rank) && output.Answers(s.Stdin)
	return s.ranks.Open(output.NewStream(to, rank, p.prefixOf(s.Output.Prefix), p.ranks == 1, prompts))
}

// openFile makes a file for the output of a rank. Ranks that share one append to it. A named pipe that nobody reads is
// an error: to wait for a reader may never end.
func (s *Streams) openFile(name string, makeDir bool) (f *os.File, err error) {
	how := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if !s.made[name] {
		how |= os.O_TRUNC
	}
	if makeDir {
		err = os.MkdirAll(filepath.Dir(name), 0o777)
	}
	if err == nil {
		f, err = os.OpenFile(name, how|syscall.O_NONBLOCK, 0o666)
	}
	if errors.Is(err, syscall.ENXIO) { // a terminal may say so, too
		if info, _ := os.Stat(name); info != nil && info.Mode()&fs.ModeNamedPipe != 0 {
			err = fmt.Errorf("%w: start what reads this pipe first", err)
		}
	}
	if err == nil {
		err = syscall.SetNonblock(int(f.Fd()), false) // the rank's writes may wait
	}
	if err != nil {
		return nil, FileError{err}
	}
	s.made[name] = true
	return f, nil
}

// ofDevices tells whether the files of a directory are devices, such as /dev/null, which take no room. Those in
// /dev/shm are none.
func ofDevices(dir string) bool {
	below := dir + "/"
	return strings.HasPrefix(below, "/dev/") && !strings.HasPrefix(below, "/dev/shm/")
}

// Full returns an error if the first output directory takes no more. Ranks write there themselves, and
// many do not look whether a write has failed. It may block.
func (s *Streams) Full() error {
	if s.space == nil {
		return nil
	}
	_, err := s.space.Write(make([]byte, 4096))
	if err = errors.Join(err, s.space.Sync()); isFull(err) { // a file system of a network says it then
		return fmt.Errorf("%s: %w", filepath.Dir(s.space.Name()), withoutName(err))
	}
	return nil
}

// A FileError is that of a file in the output directory.
type FileError struct{ error }

// Unwrap returns the cause.
func (e FileError) Unwrap() error { return e.error }

// giveInput hands a rank the input itself, if it is a file and no other rank reads. A terminal cannot be handed over:
// the rank is in a background process group of it and would be stopped at its first read, so the supervisor reads and
// passes on.
func (s *Streams) giveInput(f *Files) error {
	terminal, one := output.TerminalOf(s.Stdin), s.StdinTo != part.AllReaders
	if file, ok := s.Stdin.(*os.File); ok && one && terminal == nil {
		f.All[0] = file
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
			near.Close()
		}
		return err
	}
	if one {
		go func() {
			defer near.Close()
			_, _ = io.Copy(near, s.Stdin) // an error: there is no more, or the rank reads no more
		}()
		return nil
	}
	if s.readers = append(s.readers, near); len(s.readers) < s.Here {
		return nil
	}
	return s.spread(terminal)
}

// spread begins to pass the input on to all ranks here. A terminal is read ahead: some rank may wait.
func (s *Streams) spread(terminal *os.File) (err error) {
	from := s.Stdin
	if terminal != nil {
		if s.input, from, err = output.ReadTerminal(terminal, func() bool { return true }); err != nil {
			return err
		}
	}
	output.Spread(from, s.readers)
	s.readers = nil
	return nil
}
