package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// listName is the file that names all files of an installation, one a line.
const listName = "lib/gopvas/files"

// writeList names the files that are to be published, and itself.
func (in *installation) writeList() error {
	var names []string
	err := filepath.WalkDir(in.fresh("."), func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(in.fresh("."), file)
		names = append(names, name)
		return err
	})
	if err != nil {
		return err
	}
	names = append(names, listName)
	slices.Sort(names)
	names = slices.Compact(names) // a copy has it already
	return in.write(listName, []byte(strings.Join(names, "\n")+"\n"), 0o644)
}

// list returns the names of all files of an installation.
func (in *installation) list() ([]string, error) {
	text, err := os.ReadFile(in.path(listName))
	if err != nil {
		return nil, err
	}
	names := strings.Fields(string(text))
	for _, name := range names {
		if !filepath.IsLocal(name) {
			return nil, fmt.Errorf("%s names %s, which is not in that folder: remove the folder yourself",
				in.path(listName), name)
		}
	}
	return names, nil
}

// Uninstall removes the files of an installation, and the folders that are empty then. What else is in the folder
// stays. Ranks that run keep the files that they have open.
func Uninstall(dir string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("uninstall: %s: %w", dir, err)
		}
	}()
	in := installation{Config: Config{Dir: dir}}
	names, err := in.list()
	if errors.Is(err, fs.ErrNotExist) {
		return FolderError{errors.New("there is no list of what pvasrun install-mpi has made: name the folder that " +
			"it was given; if an earlier version made this one, call install-mpi again first")}
	}
	if err != nil {
		return err
	}
	free, err := in.alone()
	if err != nil {
		return err
	}
	defer free()
	for _, name := range names {
		if err := os.Remove(in.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, folder := range slices.Backward(append([]string{"."}, folders...)) {
		_ = os.Remove(in.path(folder)) // an error: it has files of others
	}
	return nil
}
