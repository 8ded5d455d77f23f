package main

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A target is an architecture, and the compilers of Debian for it.
type target struct {
	arch   string // as Go and Debian call it
	rpm    string // as RPM does
	triple string // prefix of the compilers
}

var targets = map[string]target{
	"amd64": {"amd64", "x86_64", "x86_64-linux-gnu"},
	"arm64": {"arm64", "aarch64", "aarch64-linux-gnu"},
}

// The libraries are linked against the C library of this release, and need none that is newer.
const (
	oldRelease  = "bullseye"
	oldestGlibc = "2.31"
	mirror      = "http://deb.debian.org/debian"
)

// ofTheLibrary are the packages that a program is linked against.
var ofTheLibrary = []string{"libc6", "libc6-dev", "linux-libc-dev", "libcrypt1", "libcrypt-dev"}

// sysroot makes a folder with the C library of the old release. apt keeps what it needs for that in a folder of its
// own, so that nothing is changed on this machine, and needs no privilege.
func (t target) sysroot(ctx context.Context, work string) (string, error) {
	own := filepath.Join(work, "apt-"+t.arch)
	root := filepath.Join(work, "root-"+t.arch)
	for _, dir := range []string{own + "/lists/partial", own + "/cache/archives/partial", root} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", err
		}
	}
	source := "deb " + mirror + " " + oldRelease + " main\n"
	for name, text := range map[string]string{"status": "", "sources.list": source} {
		if err := os.WriteFile(filepath.Join(own, name), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	apt := []string{"-qq", "-o", "APT::Architecture=" + t.arch, "-o", "APT::Architectures::=" + t.arch,
		"-o", "Dir::State::lists=" + own + "/lists", "-o", "Dir::Cache=" + own + "/cache",
		"-o", "Dir::State::status=" + own + "/status", "-o", "Dir::Etc::sourcelist=" + own + "/sources.list",
		"-o", "Dir::Etc::sourceparts=-", "-o", "Dir::Cache::archives=" + own, "-o", "APT::Sandbox::User="}
	if err := run(ctx, nil, "apt-get", append(apt, "update")...); err != nil {
		return "", err
	}
	download := slices.Concat([]string{"-C", own, "apt-get"}, apt, []string{"download"}, ofTheLibrary)
	if err := run(ctx, nil, "env", download...); err != nil { // it downloads into its working directory
		return "", err
	}
	debs, err := filepath.Glob(own + "/*.deb")
	if err != nil {
		return "", err
	}
	for _, deb := range debs {
		if err := run(ctx, nil, "dpkg-deb", "-x", deb, root); err != nil {
			return "", err
		}
	}
	return root, errors.Join(turnLinks(root), os.RemoveAll(own))
}

// turnLinks makes links of a root that begin at / lead to the same place in the root.
func turnLinks(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Type() != fs.ModeSymlink {
			return err
		}
		to, err := os.Readlink(path)
		if err != nil || !filepath.IsAbs(to) {
			return err
		}
		return errors.Join(os.Remove(path), os.Symlink(filepath.Join(root, to), path))
	})
}

// compiler is a compiler of the target, that takes the C library in a folder. Debian's compilers look into folders
// beside their own first, where that of this machine is.
func (t target) compiler(name, root string) string {
	include, lib := root+"/usr/include", "/lib/"+t.triple
	return fmt.Sprintf("%s-%s --sysroot=%s -isystem %s/%s -isystem %s -B%s/usr%s -L%s%s -L%s/usr%s", t.triple, name,
		root, include, t.triple, include, root, lib, root, lib, root, lib)
}

// checkSymbols returns an error if a library in a tree needs a newer C library than that version.
func checkSymbols(tree, version string) error {
	return filepath.WalkDir(tree, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		f, err := elf.Open(path)
		if err != nil {
			return nil // it is no library
		}
		defer f.Close()
		symbols, err := f.ImportedSymbols()
		if err != nil {
			return nil // it imports none
		}
		for _, s := range symbols {
			needed, ok := strings.CutPrefix(s.Version, "GLIBC_")
			if ok && newer(needed, version) {
				return fmt.Errorf("%s: %s is of glibc %s, and there may be %s", path, s.Name, needed, version)
			}
		}
		return nil
	})
}

// newer tells whether a version such as 2.34 is newer than another.
func newer(a, b string) bool {
	for a != "" || b != "" {
		var x, y string
		x, a, _ = strings.Cut(a, ".")
		y, b, _ = strings.Cut(b, ".")
		m, _ := strconv.Atoi(x) // an error: 0
		n, _ := strconv.Atoi(y)
		if m != n {
			return m > n
		}
	}
	return false
}
