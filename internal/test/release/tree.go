package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gopvas/gopvas/internal/capi/install"
	"github.com/gopvas/gopvas/internal/node/job"
)

// What other programs read of an installation. @VERSION@ in them is that of the release.
var (
	//go:embed files/gopvas-config.cmake
	cmakeText string
	//go:embed files/module.lua
	moduleText string
	//go:embed files/package.py
	spackText string
	//go:embed files/meson.ini
	mesonText string
)

// tree makes the folder that the tarball has: an installation as install-mpi makes it, and what is read beside it.
func (b *build) tree(ctx context.Context, t target, root, tree string) error {
	pvasrun := filepath.Join(b.work, t.arch, "pvasrun")
	if err := b.pvasrun(ctx, t.arch, pvasrun); err != nil {
		return err
	}
	say := func(what string) { fmt.Println(what) }
	err := install.Install(ctx, install.Config{
		Dir: tree, Launch: pvasrun, Version: b.version, RootBlock: job.LayoutVersion, Stderr: os.Stderr,
		Step: say, Missing: say,
		Target: &install.Target{
			Arch: t.arch, C: t.compiler("gcc", root), Fortran: t.compiler("gfortran", root),
			Wrappers: install.Compilers{C: "gcc", CXX: "g++", Fortran: "gfortran"},
		},
	})
	if err != nil {
		return err
	}
	return b.readables(ctx, tree)
}

// pvasrun builds the launcher.
func (b *build) pvasrun(ctx context.Context, arch, file string) error {
	return run(ctx, []string{"CGO_ENABLED=0", "GOARCH=" + arch, "GOFLAGS="}, "go", "build", "-trimpath",
		"-buildvcs=false", "-buildmode=pie", "-ldflags=-w -X "+cliPackage+".release="+b.version+" -X "+cliPackage+
			".commit="+b.commit, "-o", file, "./cmd/pvasrun")
}

const cliPackage = "github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"

// readables adds the manual page, completions, documents, and the files of other tools.
func (b *build) readables(ctx context.Context, tree string) error {
	here := filepath.Join(b.work, "pvasrun-here") // it runs on this machine
	if _, err := os.Stat(here); err != nil {
		if err := b.pvasrun(ctx, "", here); err != nil {
			return err
		}
	}
	for name, args := range map[string][]string{
		"share/man/man1/pvasrun.1":                     {"man"},
		"share/bash-completion/completions/pvasrun":    {"completion", "bash"},
		"share/zsh/site-functions/_pvasrun":            {"completion", "zsh"},
		"share/fish/vendor_completions.d/pvasrun.fish": {"completion", "fish"},
		"share/gopvas/options/mpirun.txt":              {"help", "mpirun"},
		"share/gopvas/options/mpiexec.txt":             {"help", "mpiexec"},
		"share/gopvas/options/srun.txt":                {"help", "srun"},
	} {
		cmd := exec.CommandContext(ctx, here, args...)
		cmd.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", b.at.Unix()))
		text, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("pvasrun %s: %w", strings.Join(args, " "), err)
		}
		if err := writeNew(filepath.Join(tree, name), text); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{
		"lib/cmake/gopvas/gopvas-config.cmake":                  cmakeText,
		"share/gopvas/modulefiles/gopvas/" + b.version + ".lua": moduleText,
		"share/gopvas/spack/package.py":                         spackText,
		"share/gopvas/meson.ini":                                mesonText,
	} {
		text = strings.ReplaceAll(text, "@VERSION@", b.version)
		if err := writeNew(filepath.Join(tree, name), []byte(text)); err != nil {
			return err
		}
	}
	docs, err := filepath.Glob("docs/*.md")
	if err != nil {
		return err
	}
	pictures, err := filepath.Glob("docs/*.[sp][vn]g")
	if err != nil {
		return err
	}
	for _, file := range append(append(docs, pictures...), "README.md", "CHANGELOG.md", "LICENSE") {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := writeNew(filepath.Join(tree, "share/doc/gopvas", file), text); err != nil {
			return err
		}
	}
	return nil
}

// writeNew writes a file, and makes its folder.
func writeNew(name string, text []byte) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return fmt.Errorf("%s would be empty", name)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}
