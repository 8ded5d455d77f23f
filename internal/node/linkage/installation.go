package linkage

import (
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// An Installation is a folder that pvasrun install-mpi has made, with our library under the names of other MPIs.
type Installation string

// Mark is a symbol of our libraries. Its value is the version of the root block that they know.
const Mark = "gopvas_root_block"

// Lib is the folder with the libraries.
func (in Installation) Lib() string { return filepath.Join(string(in), "lib") }

// Finder is the library that the dynamic linker asks for the place of libraries, in the folder with those. See
// cmd/libmpi/finder.
const Finder = "gopvas/finder.so"

// FinderFlags are those with which it is built: in two memory areas, and without a C library where it can do without.
func FinderFlags() []string {
	flags := []string{"-O2", "-Wall", "-shared", "-fPIC", "-ffreestanding", "-fvisibility=hidden",
		"-fno-stack-protector", "-fno-asynchronous-unwind-tables", "-Wl,-z,noseparate-code", "-Wl,-z,norelro"}
	if runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64" {
		return append(flags, "-nostdlib")
	}
	return flags
}

// finds returns the setting by which the ranks of a program have the finder, nil if the installation has none.
func (in Installation) finds(env []string) []string {
	if in == "" || !in.has(Finder) {
		return nil
	}
	return []string{first("LD_AUDIT", env, in.file(Finder))}
}

// Audit is the setting by which the dynamic linker has the finder.
func (in Installation) Audit() string { return "LD_AUDIT=" + in.file(Finder) }

// file is a library of the installation.
func (in Installation) file(name string) string { return filepath.Join(in.Lib(), name) }

// has tells whether there is a library of this name.
func (in Installation) has(name string) bool {
	_, err := os.Stat(in.file(name))
	return err == nil
}

// serves returns which of ours for programs of other MPIs a library is, "" if it is none. They have the names of those
// for Fortran and C++, too; the dynamic linker lists a file once, by the name that it is asked for first.
func (in Installation) serves(l Library) string {
	if in == "" || l.File != in.file(l.Name) && !sameFile(filepath.Dir(l.File), in.Lib()) {
		return ""
	}
	for _, face := range []string{OpenMPI, MPICH} {
		if sameFile(in.file(face), l.File) {
			return face
		}
	}
	return ""
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	other, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(one, other)
}

// installationOf returns the one that a library is of, "" if it is not ours. A program may find ours by itself, such as
// by LD_LIBRARY_PATH.
func installationOf(library string) Installation {
	file, err := filepath.Abs(library)
	if err != nil || library == "" {
		return ""
	}
	symbols, _ := symbolsOf(file) // an error: the dynamic linker will say
	if !slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return s.Name == Mark }) {
		return ""
	}
	return Installation(filepath.Dir(filepath.Dir(file)))
}

// Default is where install-mpi makes an installation if nobody says where.
func Default() (string, error) {
	data := os.Getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(data) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		data = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(data, "gopvas", "mpi"), nil
}

// Find returns the installation whose libraries serve programs of other MPIs, "" if there is none: the one that this
// program is of, else the first in PATH, else that of Default.
func Find() Installation {
	var folders []string
	if own, err := os.Executable(); err == nil {
		folders = append(folders, filepath.Dir(filepath.Dir(own)))
	}
	for _, bin := range filepath.SplitList(os.Getenv("PATH")) {
		if filepath.IsAbs(bin) {
			folders = append(folders, filepath.Dir(filepath.Clean(bin)))
		}
	}
	if dir, err := Default(); err == nil {
		folders = append(folders, dir)
	}
	for _, dir := range folders {
		// The second: a distribution may have its own library in a folder beside one of PATH.
		if in := Installation(dir); in.has(OpenMPI) && in.has("libmpi_abi.so.1") {
			return in
		}
	}
	return ""
}

// broken says why a library of the installation cannot serve, nil if each can.
func (in Installation) broken(version uint64) error {
	for _, name := range []string{OpenMPI, MPICH} {
		if err := in.check(name, version); err != nil && in.has(name) {
			return err
		}
	}
	return nil
}

// check says why a library cannot serve ranks of this program, whose root block has this version.
func (in Installation) check(name string, version uint64) error {
	file := in.file(name)
	symbols, err := symbolsOf(file)
	if err != nil {
		return fmt.Errorf("%s: %w: repeat pvasrun install-mpi %s", file, err, in)
	}
	for _, s := range symbols {
		switch {
		case s.Name != Mark:
		case s.Value == version:
			return nil
		default:
			return fmt.Errorf("%s is of another version of pvasrun: repeat pvasrun install-mpi %s", file, in)
		}
	}
	return fmt.Errorf("%s is not the library of pvasrun: repeat pvasrun install-mpi %s", file, in)
}
