package recording

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/recorder"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/trace"
)

// Tracing is --trace: the file that a job is recorded in.
type Tracing struct {
	file  *os.File
	drain *recorder.Drain
	err   error
}

// AttachTrace has a job recorded in a new file, unless path is empty. The caller calls end when
// the job has ended.
func AttachTrace(path string, j *launcher.Job) (*Tracing, error) {
	if path == "" {
		return &Tracing{}, nil
	}
	f, err := CreateAlone(path)
	if err != nil {
		return nil, err
	}
	t := &Tracing{file: f}
	t.Record(j, f)
	return t, nil
}

// Record has the job recorded by this process.
func (t *Tracing) Record(j *launcher.Job, to io.Writer) {
	page := os.Getpagesize()
	j.TraceSize = (recorder.Size(j.Total()) + page - 1) / page * page
	apps, finished := j.Apps, j.Finished
	j.Made = func(root *job.Root) (err error) {
		t.drain, err = recorder.Start(root, to, trace.Meta{
			BTL: root.BTL().String(), CPUs: root.CPUs(), Started: time.Now().UTC(), Algorithms: coll.AlgorithmNames(),
			Command: CommandOf(apps),
		})
		return err
	}
	j.Finished = func(root *job.Root) {
		if t.drain != nil {
			t.err = t.drain.Close()
		}
		if finished != nil {
			finished(root)
		}
	}
}

// CreateAlone creates a file, or empties a trace, that no other job is writing to. What is no trace
// stays: `pvasrun --trace ./prog` forgets the name of the file, and must not cost the program.
func CreateAlone(path string) (*os.File, error) {
	if err := Traceable(path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return f, err // /dev/null
	}
	if err := sys.LockFile(f); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("%s: another job writes to it: name another file, or wait until that job has ended",
			path)
	}
	if !emptyOrTrace(f) {
		_ = f.Close()
		return nil, fmt.Errorf("%s: it is no trace and is not overwritten: name another file, or remove this one", path)
	}
	if err := f.Truncate(0); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// Traceable returns an error unless there is a file at path, or a folder for one. What is written to
// a pipe or to a device could wait for a reader, or be lost; /dev/null loses it on purpose.
func Traceable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err = os.Stat(filepath.Dir(path)); err != nil {
			err = fmt.Errorf("%w: name a file of a folder that is there", err)
		}
		return err
	case err != nil || info.Mode().IsRegular():
		return err
	}
	if null, err := os.Stat(os.DevNull); err == nil && os.SameFile(info, null) {
		return nil
	}
	return fmt.Errorf("%s: it is no regular file: name a file", path)
}

// emptyOrTrace tells whether a file has nothing in it, or what --trace has written.
func emptyOrTrace(f *os.File) bool {
	head := make([]byte, len(trace.Magic))
	n, err := f.ReadAt(head, 0)
	return n == 0 && err == io.EOF || string(head) == trace.Magic
}

// CommandOf is what the file says of a job's programs.
func CommandOf(apps []launcher.App) (command []string) {
	for i, app := range apps {
		if i > 0 {
			command = append(command, ":")
		}
		command = append(append(command, filepath.Base(app.Program)), app.Args...)
	}
	return command
}

// End closes the file. It warns of an incomplete trace, which is no failure of the job.
func (t *Tracing) End() {
	if err := t.Close(); err != nil {
		WarnOfTrace(err)
	}
}

// Close closes the file. The error says why the trace is incomplete. A job that has not begun leaves no file.
func (t *Tracing) Close() error {
	if t.file == nil {
		return nil
	}
	if info, err := os.Lstat(t.file.Name()); err == nil && info.Mode().IsRegular() && info.Size() == 0 { // no link
		_ = os.Remove(t.file.Name()) // while it is locked: no other job writes to it
	}
	if err := t.file.Close(); t.err == nil {
		t.err = err
	}
	return t.err
}

func WarnOfTrace(err error) { fmt.Fprintln(os.Stderr, "pvasrun: --trace:", err) }
