package pvas

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// A sourceFile is an open program or interpreter with its checked plan.
type sourceFile struct {
	*os.File
	id fileID
}

// fileID tells whether a path still means the file that was planned.
type fileID struct {
	dev, ino, size uint64
	mtime, ctime   syscall.Timespec
}

// Check reports whether the file at path could be a task with that environment:
// nil, or an *ImageError that wraps the reason.
func Check(path string, env ...string) error {
	prog, err := openProgram(path)
	if err != nil {
		return err
	}
	defer prog.close()
	_, err = prog.forEnv(path, env)
	return err
}

// openImage opens and plans one ELF file. The caller closes it.
func openImage(path string) (*sourceFile, *image, error) {
	f, img, err := tryOpenImage(path)
	if err != nil {
		if f != nil {
			_ = f.Close()
		}
		return nil, nil, &ImageError{path, err}
	}
	return f, img, nil
}

func tryOpenImage(path string) (*sourceFile, *image, error) {
	// O_NONBLOCK: opening a FIFO that nobody writes must not hang.
	of, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, cause(err)
	}
	f := &sourceFile{File: of}
	st, err := of.Stat()
	if err != nil {
		return f, nil, cause(err)
	}
	if !st.Mode().IsRegular() {
		return f, nil, fmt.Errorf("%w: it is a %s", ErrNotExecutable, kind(st.Mode()))
	}
	if st.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
		return f, nil, ErrSetuid
	}
	if err := sys.AccessExec(int(of.Fd())); err != nil {
		return f, nil, fmt.Errorf("%w: %w", ErrNotExecutable, err)
	}
	f.id = idOf(st)
	img, err := here.plan(of, st.Size())
	return f, img, err
}

// cause strips the operation and path that os puts around an error: ImageError
// says both.
func cause(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

func kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "directory"
	case m&fs.ModeNamedPipe != 0:
		return "named pipe"
	case m&fs.ModeSocket != 0:
		return "socket"
	default:
		return "device"
	}
}

// openProgram opens a program and, where it needs one, its interpreter.
func openProgram(path string) (prog program, err error) {
	if prog.file, prog.img, err = openImage(path); err != nil {
		return program{}, err
	}
	if prog.img.direct || prog.img.interp == "" {
		return prog, nil
	}
	if prog.ifile, prog.interp, err = openImage(prog.img.interp); err == nil && prog.interp.interp != "" {
		err = &ImageError{prog.img.interp, malformed("an interpreter that needs an interpreter")}
	}
	if err == nil {
		prog.argv0, err = takesArgv0(prog.ifile, int64(prog.ifile.id.size))
	}
	if err != nil {
		prog.close()
		return program{}, fmt.Errorf("pvas: load the interpreter of %s: %w", path, err)
	}
	return prog, nil
}

func (p program) close() {
	if p.file != nil {
		_ = p.file.Close()
	}
	if p.ifile != nil {
		_ = p.ifile.Close()
	}
}

// unchanged reports whether path still names the file that was opened, with the
// contents that were planned.
func (f *sourceFile) unchanged(path string) bool {
	st, err := os.Stat(path)
	return err == nil && f.id == idOf(st)
}

func idOf(st fs.FileInfo) fileID {
	raw := st.Sys().(*syscall.Stat_t)
	return fileID{raw.Dev, raw.Ino, uint64(raw.Size), raw.Mtim, raw.Ctim}
}
