package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/bench"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/debug"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/model"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/options"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/run"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/setup"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/suci"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/trace"
	"github.com/gopvas/gopvas/launcher"
)

// execute carries a command line out. A first word that is not the name of a
// command begins the command line of a job, so that its flags need no name
// before them; a program with such a name is run as ./info.
func execute(args []string) error {
	commands := map[string]func([]string) error{
		"info": setup.ExecuteInfo, "bench": bench.Execute, "completion": cli.ExecuteCompletion, "model": model.Execute,
		"install-mpi": setup.ExecuteInstallMPI, "uninstall-mpi": setup.ExecuteUninstallMPI,
		"suci": suci.Execute, "trace": trace.Execute, "tune": setup.ExecuteTune,
		"debug": debug.Execute, "man": cli.ExecuteMan(run.Execute), "node": run.ExecuteNode,
	}
	if cli.AsksForCommand(args) {
		return cli.Offer(slices.Collect(maps.Keys(commands)), args)
	}
	if len(args) == 2 && args[0] == "help" && slices.Contains(options.Launchers(), args[1]) {
		return run.PrintOptions(args[1])
	}
	args, err := asFlag(args, commands)
	if err != nil {
		return err
	}
	if len(args) > 0 && commands[args[0]] != nil {
		return commands[args[0]](args[1:])
	}
	err = run.Execute(args)
	p, ok := errors.AsType[*launcher.ProgramError](err)
	if !ok || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if commands[p.Program] != nil {
		return fmt.Errorf("%w; the flags of the command %s stand behind it: pvasrun %[2]s --help", err, p.Program)
	}
	if name := cli.Nearest(p.Program, append(slices.Sorted(maps.Keys(commands)), "help", "version")); name != "" {
		return fmt.Errorf("%w; there is a command %s: pvasrun %[2]s --help", err, name)
	}
	return err
}

// asFlag turns "help", "help COMMAND" and "version" into flags, which others write so.
func asFlag(args []string, commands map[string]func([]string) error) ([]string, error) {
	if len(args) == 0 || args[0] != "help" && !slices.Equal(args, []string{"version"}) {
		return args, nil
	}
	about := args[1:]
	switch {
	case args[0] == "version":
		return []string{"--version"}, nil
	case len(about) == 0 || about[0] == "help" || about[0] == "version" || strings.HasPrefix(about[0], "-"):
		return []string{"--help"}, nil
	case about[0] == "node" || commands[about[0]] == nil: // agents are no business of users
		return nil, cli.NoCommand("help", "command", about[:1], "pvasrun --help shows all")
	}
	return append(slices.Clone(about), "--help"), nil
}
