package main

import (
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// nfpm makes packages without the tools of the distributions.
const nfpm = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.2"

// The scripts of the packages.
var (
	//go:embed files/postinstall.sh
	postinstall string
	//go:embed files/preremove.sh
	preremove string
)

// prefix is where a package has the folder of the tarball, but for what is in places.
const prefix = "/usr/lib/gopvas"

// places are folders of the tarball that lie elsewhere in a package.
var places = map[string]string{
	"share/man":                         "/usr/share/man",
	"share/bash-completion/completions": "/usr/share/bash-completion/completions",
	"share/zsh/site-functions":          "/usr/share/zsh/vendor-completions",
	"share/fish/vendor_completions.d":   "/usr/share/fish/vendor_completions.d",
	"share/doc/gopvas":                  "/usr/share/doc/gopvas",
}

// packages makes the .deb and the .rpm of a tree.
func (b *build) packages(ctx context.Context, t target, tree string) error {
	folder := filepath.Join(b.work, t.arch, "package")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, configText, t.arch, b.version, b.at.Format(time.RFC3339), folder, folder)
	for name, script := range map[string]string{"postinstall.sh": postinstall, "preremove.sh": preremove} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(script), 0o755); err != nil {
			return err
		}
	}
	if err := listContents(&text, tree); err != nil {
		return err
	}
	config := filepath.Join(folder, "nfpm.yaml")
	if err := os.WriteFile(config, []byte(text.String()), 0o644); err != nil {
		return err
	}
	for packager, name := range map[string]string{
		"deb": fmt.Sprintf("gopvas_%s_%s.deb", b.version, t.arch),
		"rpm": fmt.Sprintf("gopvas-%s-1.%s.rpm", b.version, t.rpm),
	} {
		epoch := fmt.Sprintf("SOURCE_DATE_EPOCH=%d", b.at.Unix())
		err := run(ctx, []string{epoch}, "go", "run", nfpm, "package", "-f", config, "-p", packager, "-t",
			filepath.Join(b.out, name))
		if err != nil {
			return err
		}
	}
	return nil
}

const configText = `name: gopvas
arch: %s
platform: linux
version: "%s"
version_schema: none
mtime: %s
section: net
priority: optional
maintainer: the gopvas authors <gopvas@users.noreply.github.com>
homepage: https://github.com/gopvas/gopvas
license: MIT
description: |
  MPI for many-core nodes: the ranks of a job share one address space
  pvasrun starts programs in Go, C, C++, Fortran and Python by the MPI 5.0
  standard ABI, and programs that were built for Open MPI unchanged.
recommends:
  - openssh-client
suggests:
  - gcc
  - gfortran
overrides:
  deb:
    depends:
      - libc6 (>= ` + oldestGlibc + `)
scripts:
  postinstall: %s/postinstall.sh
  preremove: %s/preremove.sh
contents:
  - src: ` + prefix + `/bin/pvasrun
    dst: /usr/bin/pvasrun
    type: symlink
`

// listContents adds each file of a tree to the description of a package. RPM removes only the folders that a package
// lists. So those that no other package has are listed, too.
func listContents(text *strings.Builder, tree string) error {
	listed := map[string]bool{}
	return filepath.WalkDir(tree, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(tree, path)
		if err != nil {
			return err
		}
		to, kind := filepath.Join(prefix, name), ""
		for folder, place := range places {
			if rest, ok := strings.CutPrefix(name, folder); ok {
				to = filepath.Join(place, rest)
			}
		}
		for dir := filepath.Dir(to); ownFolder(dir) && !listed[dir]; dir = filepath.Dir(dir) {
			listed[dir] = true
			fmt.Fprintf(text, "  - dst: %q\n    type: dir\n    packager: rpm\n", dir)
		}
		if d.Type() == fs.ModeSymlink {
			kind = "\n    type: symlink"
			if path, err = os.Readlink(path); err != nil {
				return err
			}
		}
		_, err = fmt.Fprintf(text, "  - src: %q\n    dst: %q%s\n", path, to, kind)
		return err
	})
}

// ownFolder tells whether no other package has files in a folder.
func ownFolder(dir string) bool {
	return strings.HasPrefix(dir, prefix) || strings.HasPrefix(dir, places["share/doc/gopvas"])
}
