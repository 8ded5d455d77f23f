package install

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// fortran installs mpif.h, and makes the modules with the compiler of the machine.
func (in *installation) fortran(ctx context.Context) error {
	const folder = "cmd/libmpi/fortran"
	files, err := os.ReadDir(filepath.Join(in.source, folder))
	if err != nil {
		return err
	}
	for _, f := range files {
		switch filepath.Ext(f.Name()) {
		case ".h":
			err = in.copy(folder+"/"+f.Name(), "include/"+f.Name(), 0o644)
		case ".f90":
			err = in.module(ctx, filepath.Join(in.source, folder, f.Name()))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// module compiles a file with a module.
func (in *installation) module(ctx context.Context, source string) error {
	if in.fc == "" {
		in.Log(
			"no Fortran compiler is there: mpif.h is installed, modules are not; install gfortran and " +
				"repeat this command")
		return nil
	}
	command := fmt.Sprintf("%s %s -fPIC -I%q -J%q -c %q -o /dev/null", in.fc, in.fcFlags, in.path("include"),
		in.path("include"), source)
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir, cmd.Stdout, cmd.Stderr = in.source, in.Stderr, in.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("compile the module %s with %s: %w", filepath.Base(source), strings.Fields(in.fc)[0], err)
	}
	return nil
}
