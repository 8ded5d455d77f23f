package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// A FolderError says why nothing can be installed in the folder that was named.
type FolderError struct{ error }

func (e FolderError) Unwrap() error { return e.error }

// makeFolder makes a folder that can be written to, and those above it that are not there, and notes what
// it has made. It goes up by one folder at a time, and tries each once more at most.
func (in *installation) makeFolder(dir string) error {
	err := os.Mkdir(dir, 0o755)
	above := filepath.Dir(dir)
	if (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)) && above != dir {
		if err := in.makeFolder(above); err != nil {
			return err
		}
		err = os.Mkdir(dir, 0o755)
	}
	switch {
	case err == nil:
		in.made = append(in.made, dir)
	case errors.Is(err, fs.ErrExist):
		return checkFolder(dir)
	}
	return err
}

// checkFolder tells why what has the name of a folder is none to write to, nil if it is one.
func checkFolder(dir string) error {
	info, err := os.Stat(dir)
	if to, notLink := os.Readlink(dir); errors.Is(err, fs.ErrNotExist) && notLink == nil {
		return fmt.Errorf("%s is a link to %s, which is not there: make that folder, or remove the link", dir, to)
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is there and no folder: remove it, or name another folder", dir)
	}
	probe, err := os.CreateTemp(dir, ".probe-")
	if err != nil {
		return fmt.Errorf("no file can be made in %s (%w): name another folder", dir, errors.Unwrap(err))
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// checkOther returns an error if the folder has an MPI that pvasrun has not installed. Its files would be replaced.
func (in *installation) checkOther() error {
	if in.ours() {
		return nil
	}
	for _, name := range []string{"bin/mpicc", "bin/mpifort", "bin/mpiexec", "bin/mpirun", "include/mpi.h",
		"lib/" + soname, "lib/libmpi.so.40", "lib/libmpi.so.12", "lib/libmpi.so"} {
		if _, err := os.Lstat(in.path(name)); err == nil {
			return fmt.Errorf("%s is there, and is not of pvasrun: name another folder, or remove that MPI",
				in.path(name))
		}
	}
	return nil
}

// written is in each wrapper of a compiler that an installation has.
const written = "# Written by pvasrun install-mpi."

// ours tells whether the folder has an installation of pvasrun, perhaps in part: one that was killed has the wrappers
// first.
func (in *installation) ours() bool {
	mpicc, _ := os.ReadFile(in.path("bin/mpicc")) // an error: as one without the mark
	_, err := os.Lstat(in.path("lib/pkgconfig/gopvas.pc"))
	return err == nil || bytes.Contains(mpicc, []byte(written))
}

// removeMade takes back the folders that were made, with all that has come into them.
func (in *installation) removeMade() (err error) {
	for _, dir := range slices.Backward(in.made) {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}
