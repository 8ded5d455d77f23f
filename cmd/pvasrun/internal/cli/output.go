package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/gopvas/gopvas/internal/node/atomicfile"
	"github.com/gopvas/gopvas/trace"
)

// pipes are the named pipes that writable has opened. They stay open until they are written: the reader
// of a pipe takes its last writer's close for the end of the file.
var pipes = map[string]*os.File{}

// Kind is what an output has. An earlier one, which may be replaced, is known by a mark among its first bytes.
type Kind struct{ name, mark string }

// The kinds of outputs.
var (
	Parameters = Kind{"has no parameters", `"model": "LogGPS"`}
	Times      = Kind{"has no times", "kind,k_bytes,w_ns,t_ns"}
	Plot       = Kind{"is no plot of pvasrun", "<!-- pvasrun -->"}
	Page       = Kind{"is no page of pvasrun", `<meta name="generator" content="pvasrun">`}
	Perfetto   = Kind{"is no trace for Perfetto", "\x08\x01\x32\x03job"}
	Goal       = Kind{"is no GOAL file", "num_ranks "}
	Profile    = Kind{"is no profile", `"command": "pvasrun tune`}
	HangReport = Kind{"is no report of a hang", "{\n  \"ranks\": ["}
)

// markWithin is how many bytes of a file have its mark.
const markWithin = 512

// Writable returns an error if a file cannot be written later, or has something else than an output of that kind. It
// changes no file.
func Writable(file string, kind Kind) error {
	if file == "" || pipes[file] != nil {
		return nil
	}
	if file == "-" {
		return errors.New("-: write /dev/stdout for standard output, or ./- for a file of that name")
	}
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return atomicfile.Probe(file)
	}
	if err != nil {
		return err
	}
	w, err := os.OpenFile(file, os.O_WRONLY|syscall.O_NONBLOCK, 0) // waits for no reader of a pipe
	switch {
	case errors.Is(err, syscall.ENXIO):
		return fmt.Errorf("%w: no program reads the pipe: start one before, such as cat %s", err, file)
	case err != nil:
		return err
	case info.Mode()&os.ModeNamedPipe != 0:
		pipes[file] = w
		return nil
	}
	if err := w.Close(); err != nil || !info.Mode().IsRegular() || isStdout(info) {
		return err
	}
	if err := kind.Replaceable(file); err != nil {
		return err
	}
	return atomicfile.Probe(file)
}

// Replaceable returns an error if a file has something else than an output of the kind.
func (k Kind) Replaceable(file string) error {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() { // to open a pipe could wait for ever
		return nil
	}
	head, err := headOf(file, markWithin)
	if err != nil || len(head) == 0 || bytes.Contains(head, []byte(k.mark)) {
		return err
	}
	return fmt.Errorf("%s: it %s and is not overwritten: name another file, or remove this one", file, k.name)
}

// NameOf returns the name of one of several files: all but the first have who added before the ending.
func NameOf(file, who string, i int) string {
	if i == 0 || file == "" {
		return file
	}
	ending := filepath.Ext(file)
	return strings.TrimSuffix(file, ending) + "-" + who + ending
}

// WriteNamed writes a file whole or not at all; all but the first have their name added before the
// ending. Devices, pipes and what standard output goes to take what write writes as it comes.
func WriteNamed(file, who string, i int, write func(io.Writer) error) error {
	if file == "" {
		return nil
	}
	file = NameOf(file, who, i)
	w := pipes[file]
	delete(pipes, file)
	info, err := os.Stat(file)
	switch {
	case w != nil:
	case err != nil || info.Mode().IsRegular() && !isStdout(info):
		return replaceFile(file, write)
	case info.Mode().IsRegular():
		return write(os.Stdout)
	default:
		if w, err = os.OpenFile(file, os.O_WRONLY, 0); err != nil {
			return err
		}
	}
	return errors.Join(write(w), w.Close())
}

// isStdout tells whether standard output goes to a file, as with -o /dev/stdout > FILE.
func isStdout(info fs.FileInfo) bool {
	out, err := os.Stdout.Stat()
	return err == nil && os.SameFile(info, out)
}

// replaceFile writes a file whole or not at all, also if a signal asks for an end meanwhile.
func replaceFile(file string, write func(io.Writer) error) error {
	return UntilSignal(func(ctx context.Context) error {
		return atomicfile.Write(file, func(w io.Writer) error {
			if err := write(untilDone{ctx, w}); err != nil {
				return err
			}
			return context.Cause(ctx)
		})
	})
}

// untilDone is a writer that fails when its context has ended.
type untilDone struct {
	ctx context.Context
	w   io.Writer
}

func (u untilDone) Write(p []byte) (int, error) {
	if err := context.Cause(u.ctx); err != nil {
		return 0, err
	}
	return u.w.Write(p)
}

// IsTrace tells whether a file begins as traces do.
func IsTrace(file string) (bool, error) {
	head, err := headOf(file, len(trace.Magic))
	return string(head) == trace.Magic, err
}

// headOf reads the first bytes of a file, as many as there are.
func headOf(file string, most int) ([]byte, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may be a pipe
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	head := make([]byte, most)
	n, _ := io.ReadFull(f, head)
	return head[:n], nil
}
