package install

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// soname is the name by which programs ask for the library. The standard does not say one;
// all libraries with the standard ABI have this.
const soname = "libmpi_abi.so.1"

// library builds the library and makes the names that linkers look for.
func (in *installation) library(ctx context.Context) error {
	in.Log("building %s with %s and %s", soname, in.goCommand, in.c)
	built := filepath.Join(in.source, soname)
	flags := fmt.Sprintf("-Wl,-soname,%s '-Wl,--version-script=%s'", soname,
		filepath.Join(in.source, "cmd/libmpi/exports.map"))
	cmd := exec.CommandContext(ctx, in.goCommand, "build", "-trimpath", "-buildvcs=false", "-buildmode=c-shared",
		"-ldflags", `-extldflags "`+flags+`"`, "-o", built, "./cmd/libmpi")
	cmd.Dir, cmd.Stdout, cmd.Stderr = in.source, in.Stderr, in.Stderr
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=1", "CC="+in.c, "GOFLAGS=", "GOWORK=off")
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build the library: go build: %w", err)
	}
	if err := os.Rename(built, in.path("lib/"+soname)); err != nil {
		return err
	}
	for _, name := range []string{"lib/libmpi_abi.so", "lib/libmpi.so"} {
		if err := in.link(name, soname); err != nil {
			return err
		}
	}
	return nil
}

// headers copies the header for C.
func (in *installation) headers(context.Context) error {
	return in.copy("cmd/libmpi/gen/mpi.h", "include/mpi.h", 0o644)
}

// copy copies a file of the sources.
func (in *installation) copy(source, name string, mode os.FileMode) error {
	text, err := os.ReadFile(filepath.Join(in.source, source))
	if err != nil {
		return err
	}
	return in.replace(name, text, mode)
}

// launcher copies pvasrun. An installation into the folder where it lies leaves it alone.
func (in *installation) launcher(context.Context) error {
	const name = "bin/pvasrun"
	own, err := os.Stat(in.Launch)
	if err != nil {
		return err
	}
	if there, err := os.Stat(in.path(name)); err == nil && os.SameFile(own, there) {
		return nil
	}
	text, err := os.ReadFile(in.Launch)
	if err != nil {
		return err
	}
	return in.replace(name, text, 0o755)
}
