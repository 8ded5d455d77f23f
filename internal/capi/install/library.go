package install

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/gopvas/gopvas/internal/node/gocmd"
	"github.com/gopvas/gopvas/internal/node/linkage"
)

// soname is the name by which programs ask for the library. The standard does not say one;
// all libraries with the standard ABI have this.
const soname = "libmpi_abi.so.1"

// library builds the library and makes the names that linkers look for.
func (in *installation) library(ctx context.Context) error {
	if err := in.build(ctx, soname, "exports.map", ""); err != nil {
		return err
	}
	for _, name := range []string{"lib/libmpi_abi.so", "lib/libmpi.so"} {
		if err := in.link(name, soname); err != nil {
			return err
		}
	}
	return nil
}

// A face is the library as programs of another MPI see it. Its other names are those of that MPI's libraries for
// Fortran and C++, as far as it is them. A process that names several of them has the file once, because the dynamic
// linker knows it by its inode.
type face struct {
	name, tag string // of the build
	file      string // whose version those compare who put libraries of the machine into a container
	also      []string
}

var faces = []face{
	{linkage.OpenMPI, "openmpi", linkage.OpenMPI,
		[]string{"libmpi_mpifh.so.40", "libmpi_usempi_ignore_tkr.so.40", "libmpi_cxx.so.40"}},
	{linkage.MPICH, "mpich", linkage.MPICH + ".6.0",
		[]string{linkage.MPICH, "libmpich.so.12", "libmpifort.so.12", "libmpichfort.so.12"}},
}

// faces builds the library as programs of other MPIs see it. None are linked with it here. The go command links with
// -Bsymbolic, which it cannot have: see cmd/libmpi/face.h.
func (in *installation) faces(ctx context.Context) error {
	for _, f := range faces {
		if err := in.build(ctx, f.name, "exports_"+f.tag+".map", "-Wl,-Bno-symbolic", "-tags="+f.tag); err != nil {
			return err
		}
		if err := os.Rename(in.fresh("lib/"+f.name), in.fresh("lib/"+f.file)); err != nil {
			return err
		}
		for _, name := range f.also {
			if err := in.link("lib/"+name, f.file); err != nil {
				return err
			}
		}
	}
	in.without = append(in.without, "lib/gopvas/libmpi.so") // of earlier versions
	return nil
}

const finderSource = "cmd/libmpi/finder/finder.c"

// finder builds the library that has the ranks of a job find the others: see cmd/libmpi/finder. It uses no C library,
// and takes two memory areas.
func (in *installation) finder(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "sh", "-c", in.c+` "$@"`, "sh", "-o", in.fresh("lib/"+linkage.Finder), finderSource)
	cmd.Args = append(cmd.Args, linkage.FinderFlags()...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = in.source, in.Stderr, in.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build the finder with %s: %w", in.c, err)
	}
	return nil
}

// NoPreemption are flags of the linker. The runtime then sends no SIGURG, for which a program may have a handler. Those
// that it would send have no effect: see cmd/libmpi/signals.c.
const NoPreemption = "-X runtime.godebugDefault=asyncpreemptoff=1"

// fewAreas has the linker make two segments, so that each rank has two memory areas less, and its start three calls.
// Nothing protects a rank's data from its peers anyway, see pvas.
const fewAreas = "-Wl,-z,noseparate-code -Wl,-z,norelro"

// build builds the library with a name, flags of the linker, and flags of the go command. What it exports is in a file
// of cmd/libmpi.
func (in *installation) build(ctx context.Context, soname, exports, link string, more ...string) error {
	in.Step(fmt.Sprintf("building %s with %s and %s", soname, in.goCommand, in.c))
	built, temporary := filepath.Join(in.source, soname), filepath.Join(in.source, "tmp")
	if err := os.MkdirAll(temporary, 0o700); err != nil {
		return err
	}
	if in.Target != nil {
		link += " -Wl,--strip-debug"
	}
	flags := fmt.Sprintf("-Wl,-soname,%s '-Wl,--version-script=%s' -Wl,--defsym=%s=%d %s %s", soname,
		filepath.Join(in.source, "cmd/libmpi", exports), linkage.Mark, in.RootBlock, fewAreas, link)
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-buildmode=c-shared",
		"-ldflags", NoPreemption + ` -buildid= -extldflags "` + flags + `"`, "-o", built}, more...)
	cmd := exec.CommandContext(ctx, in.goCommand, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = in.source, in.Stderr, in.Stderr
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=1", "CC="+in.c, "GOFLAGS=", "GOWORK=off", "TMPDIR="+temporary)
	if in.Target != nil {
		cmd.Env = append(cmd.Env, "GOARCH="+in.Target.Arch)
	}
	overlay, err := in.overlay(ctx, temporary, cmd.Env)
	if err != nil {
		return fmt.Errorf("build the library: %w", err)
	}
	cmd.Args = append(append(cmd.Args, overlay...), "./cmd/libmpi")
	if err := gocmd.Run(cmd, temporary); err != nil {
		return fmt.Errorf("build the library: go build: %w", err)
	}
	return os.Rename(built, in.fresh("lib/"+soname)) // without the header that go makes beside it
}

// headers copies the headers for C.
func (in *installation) headers(context.Context) error {
	if err := in.copy("cmd/libmpi/mpi-ext.h", "include/mpi-ext.h", 0o644); err != nil {
		return err
	}
	return in.copy("cmd/libmpi/gen/mpi.h", "include/mpi.h", 0o644)
}

// copy copies a file of the sources.
func (in *installation) copy(source, name string, mode os.FileMode) error {
	text, err := os.ReadFile(filepath.Join(in.source, source))
	if err != nil {
		return err
	}
	return in.write(name, text, mode)
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
	return in.write(name, text, 0o755)
}
