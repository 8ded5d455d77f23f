package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
)

// Write makes the file at path of what write writes. If it fails, the file that was there stays, and
// nothing else is left; see the package for a file on which another is mounted. A file that is replaced
// keeps its permissions and, if it can be, its owner.
func Write(path string, write func(io.Writer) error) error {
	path, err := Target(path)
	if err != nil {
		return err
	}
	old, err := replaceable(path)
	if err != nil {
		return err
	}
	f, err := beside(path)
	if err != nil {
		return err
	}
	err = write(draft{f, path})
	if err == nil {
		err = of(path, adopt(f, old))
	}
	if err == nil {
		err = of(path, f.Sync())
	}
	if closed := of(path, f.Close()); err == nil {
		err = closed
	}
	if err == nil {
		if err = of(path, os.Rename(f.Name(), path)); errors.Is(err, syscall.EBUSY) {
			return overwrite(path, f.Name())
		}
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error is what matters
	}
	return err
}

// overwrite moves the text of the temporary file into one on which another is mounted. If it fails, the
// temporary file stays, since the text may be nowhere else.
func overwrite(path, temporary string) error {
	text, err := os.ReadFile(temporary)
	if err != nil {
		return err
	}
	if err := writeThrough(path, text); err != nil {
		return fmt.Errorf("%w; the text is in %s", err, temporary)
	}
	return os.Remove(temporary)
}

func writeThrough(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// A draft is the temporary file while it is written. Its errors name the file that it is to replace.
type draft struct {
	file *os.File
	path string
}

func (d draft) Write(p []byte) (int, error) {
	n, err := d.file.Write(p)
	return n, of(d.path, err)
}

// of has an error of the temporary file name the file that is to be replaced.
func of(path string, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: e.Op, Path: path, Err: e.Err}
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return &fs.PathError{Op: "replace", Path: path, Err: e.Err}
	}
	return err
}

// probeLength is what Probe writes: a block of most file systems.
const probeLength = 4096

// Probe returns an error if Write could not write a short file to path now. It changes no file.
func Probe(path string) error {
	path, err := Target(path)
	if err != nil {
		return err
	}
	if _, err := replaceable(path); err != nil {
		return err
	}
	f, err := beside(path)
	if err != nil {
		return err
	}
	_, err = draft{f, path}.Write(make([]byte, probeLength))
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// mostLinks is how many symbolic links Linux follows.
const mostLinks = 40

// Target returns the name of the file behind symbolic links, with none left in it. There may be no
// such file yet; its folder must be there.
func Target(path string) (string, error) {
	for range mostLinks {
		if target, err := filepath.EvalSymlinks(path); err == nil {
			return target, nil
		}
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			err = &fs.PathError{Op: "open", Path: path, Err: e.Err}
		}
		if err != nil {
			return "", err
		}
		path = filepath.Join(dir, filepath.Base(path))
		behind, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link, and so no file
		}
		if path = behind; !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
	}
	return "", &fs.PathError{Op: "open", Path: path, Err: syscall.ELOOP}
}

// mayWrite has access(2) ask whether a file may be written: W_OK.
const mayWrite = 2

// replaceable describes the file at path, nil if there is none. It is an error if something else is
// there.
func replaceable(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s: is a directory", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: is no regular file", path)
	}
	// The folder may be another mount, which can be written.
	if err := syscall.Access(path, mayWrite); errors.Is(err, syscall.EROFS) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return info, nil
}

// beside makes a new file in the folder of path. Its name is short, so that one of any length can be
// replaced.
func beside(path string) (*os.File, error) {
	for {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".pvasrun-%08x", rand.Uint32()))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, inFolder(path, err)
		}
	}
}

// inFolder has an error of making the temporary file say that it is the folder which cannot be written.
func inFolder(path string, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%w: it is replaced by a new file in its folder",
			&fs.PathError{Op: "write", Path: path, Err: e.Err})
	}
	return err
}

// adopt gives a file the permissions and the owner of another one, unless that is nil.
func adopt(f *os.File, old fs.FileInfo) error {
	if old == nil {
		return nil
	}
	if owner, ok := old.Sys().(*syscall.Stat_t); ok {
		if f.Chown(int(owner.Uid), int(owner.Gid)) != nil { // only root can give files away
			_ = f.Chown(-1, int(owner.Gid)) // a member of the group can do that
		}
	}
	return f.Chmod(old.Mode().Perm())
}
