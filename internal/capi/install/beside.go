package install

import (
	"context"
	"errors"
	"os"
	"path/filepath"
)

// Beside returns the installation that a pvasrun is of, as in a package, "" if it is of none.
func Beside(pvasrun string) string {
	dir := filepath.Dir(filepath.Dir(pvasrun))
	in := installation{Config: Config{Dir: dir}}
	_, err := os.Stat(in.path(listName))
	own, err2 := os.Stat(in.path("bin/pvasrun"))
	file, err3 := os.Stat(pvasrun)
	if errors.Join(err, err2, err3) != nil || !os.SameFile(own, file) {
		return ""
	}
	return dir
}

// copyOf takes all files from another installation.
func (in *installation) copyOf(context.Context) error {
	from := installation{Config: Config{Dir: in.From}}
	names, err := from.list()
	if err != nil {
		return err
	}
	for _, name := range names {
		info, err := os.Lstat(from.path(name))
		if err != nil {
			return err
		}
		if info.Mode()&os.ModeSymlink != 0 {
			to, err := os.Readlink(from.path(name))
			if err != nil {
				return err
			}
			if err := in.link(name, to); err != nil {
				return err
			}
			continue
		}
		text, err := os.ReadFile(from.path(name))
		if err != nil {
			return err
		}
		if err := in.write(name, text, info.Mode().Perm()); err != nil {
			return err
		}
	}
	return nil
}
