package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/capi/install"
)

// ExecuteInstallMPI carries out pvasrun install-mpi.
func ExecuteInstallMPI(args []string) error {
	var f struct {
		Verbose bool `short:"v" long:"verbose" env:"PVASRUN_VERBOSE" description:"say what is done"`
	}
	rest, err := cli.ParseMixed("pvasrun install-mpi", "[flags] DIR", &f, args)
	if err != nil {
		return err
	}
	if len(rest) != 1 {
		return cli.Mistake(errors.New("install-mpi: one folder is expected: pvasrun install-mpi DIR"))
	}
	own, err := os.Executable()
	if err != nil {
		return fmt.Errorf("install-mpi: %w", err)
	}
	log := cli.Logger(f.Verbose)
	if log == nil {
		log = func(string, ...any) {}
	}
	err = cli.UntilSignal(func(ctx context.Context) error {
		return install.Install(ctx, install.Config{
			Dir: rest[0], Launch: own, Version: cli.ModuleVersion(), Stderr: os.Stderr, Log: log,
		})
	})
	if _, ok := errors.AsType[install.FolderError](err); ok {
		return cli.Mistake(fmt.Errorf("install-mpi: %w", err))
	}
	if err != nil {
		return fmt.Errorf("install-mpi: %w", err)
	}
	dir, err := filepath.Abs(rest[0])
	if err != nil {
		return fmt.Errorf("install-mpi: %w", err)
	}
	fmt.Printf("installed in %s:\n  export PATH=%[1]s/bin:$PATH\n  mpicc program.c && mpiexec -n 4 ./a.out\n", dir)
	return nil
}
