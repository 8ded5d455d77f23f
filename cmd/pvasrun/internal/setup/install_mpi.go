package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/term"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/capi/install"
	"github.com/gopvas/gopvas/internal/lab/tune"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/linkage"
)

// installSteps is how many libraries an installation builds, which takes most of its time.
const installSteps = 2

// ExecuteInstallMPI carries out pvasrun install-mpi.
func ExecuteInstallMPI(args []string) error {
	var f struct {
		Build   bool `long:"build" description:"build the libraries, also where this pvasrun is of a package that has them"`
		Verbose bool `short:"v" long:"verbose" env:"PVASRUN_VERBOSE" description:"say what is done"`
	}
	rest, err := cli.ParseMixed("pvasrun install-mpi", "[flags] [DIR]", &f, args)
	if err != nil {
		return err
	}
	dir, run, err := folderOf(rest)
	if err != nil {
		return cli.Mistake(err)
	}
	own, err := os.Executable()
	if err != nil {
		return fmt.Errorf("install-mpi: %w", err)
	}
	beside := ""
	if !f.Build {
		beside = install.Beside(own)
	}
	if beside != "" && len(rest) == 0 {
		sayInstalled(beside, run)
		return nil
	}
	step, done := func(string) {}, func() {}
	if log := cli.Logger(f.Verbose); log != nil {
		step = func(what string) { log("%s", what) }
	} else if term.IsTerminal(int(os.Stderr.Fd())) {
		progress := cli.NewProgress(installSteps)
		step, done = progress.Begin, progress.Done
	} else {
		step = func(what string) { fmt.Fprintln(os.Stderr, "pvasrun:", what) }
	}
	var missing []string
	err = cli.UntilSignal(func(ctx context.Context) error {
		return install.Install(ctx, install.Config{
			Dir: dir, Launch: own, Version: cli.ModuleVersion(), RootBlock: job.LayoutVersion,
			Stderr: os.Stderr, Step: step, Missing: func(what string) { missing = append(missing, what) },
			From: beside,
		})
	})
	done()
	if _, ok := errors.AsType[install.FolderError](err); ok {
		return cli.Mistake(fmt.Errorf("install-mpi: %w", err))
	}
	if err != nil {
		return fmt.Errorf("install-mpi: %w", err)
	}
	for _, what := range missing {
		fmt.Fprintln(os.Stderr, what)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return fmt.Errorf("install-mpi: %w", err)
	}
	sayInstalled(dir, run)
	return nil
}

func sayInstalled(dir, run string) {
	fmt.Printf("installed in %s:\n  export PATH=%[1]s/bin:$PATH\n  mpicc program.c && mpiexec -n 4 ./a.out\n%s", dir,
		run)
}

// ExecuteUninstallMPI carries out pvasrun uninstall-mpi.
func ExecuteUninstallMPI(args []string) error {
	rest, err := cli.ParseMixed("pvasrun uninstall-mpi", "[DIR]", &struct{}{}, args)
	if err != nil {
		return err
	}
	dir, _, err := folderOf(rest)
	if err != nil {
		return cli.Mistake(err)
	}
	err = install.Uninstall(dir)
	if _, ok := errors.AsType[install.FolderError](err); ok {
		return cli.Mistake(fmt.Errorf("uninstall-mpi: %w", err))
	}
	if err != nil {
		return fmt.Errorf("uninstall-mpi: %w", err)
	}
	fmt.Println("removed from", dir)
	if profile, err := tune.Path(); err == nil {
		if _, err := os.Stat(profile); err == nil {
			fmt.Println("the profile of pvasrun tune stays:", profile)
		}
	}
	return nil
}

// folderOf returns the folder that the arguments name. If they name none it is one that pvasrun looks into by itself,
// and hint says so.
func folderOf(args []string) (dir, hint string, err error) {
	switch len(args) {
	case 0:
		dir, err = linkage.Default()
		return dir, "programs built for Open MPI need no PATH:\n  pvasrun -n 4 PROGRAM\n", err
	case 1:
		return args[0], "", nil
	}
	return "", "", errors.New("one folder at most is expected, such as ~/mpi")
}
