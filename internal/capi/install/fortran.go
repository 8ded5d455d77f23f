package install

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// modules are those of Fortran. Each uses some before it.
var modules = []string{"mpi", "mpi_f08", "mpi_ext", "mpi_f08_ext"}

// fortran installs mpif.h, and makes the modules with the compiler of the machine.
func (in *installation) fortran(ctx context.Context) error {
	for _, name := range []string{"mpif.h", "mpif-ext.h"} {
		if err := in.copy("cmd/libmpi/gen/"+name, "include/"+name, 0o644); err != nil {
			return err
		}
	}
	if in.fc == "" {
		in.Missing("no Fortran compiler is there: mpif.h is installed, modules are not; install gfortran and " +
			"repeat this command")
		for _, name := range modules {
			in.without = append(in.without, "include/"+name+".mod")
		}
		return nil
	}
	for _, name := range modules {
		if err := in.module(ctx, filepath.Join(in.source, "cmd/libmpi/gen", name+".f90")); err != nil {
			return err
		}
	}
	return nil
}

// module compiles a file with a module.
func (in *installation) module(ctx context.Context, source string) error {
	command := fmt.Sprintf("%s %s -fPIC -I%q -J%q -c %q -o /dev/null", in.fc, in.fcFlags, in.fresh("include"),
		in.fresh("include"), source)
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir, cmd.Stdout, cmd.Stderr = in.source, in.Stderr, in.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("compile the module %s with %s: %w", filepath.Base(source), strings.Fields(in.fc)[0], err)
	}
	return nil
}
