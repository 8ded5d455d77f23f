package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/gopvas/gopvas/bench"
	"github.com/gopvas/gopvas/launcher"
)

// run executes a command line and returns the exit code.
func run(args []string) int {
	err := execute(args)
	if status, ok := errors.AsType[exitStatus](err); ok {
		return int(status)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pvasrun:", err)
	}
	if _, ok := errors.AsType[usageError](err); ok {
		fmt.Fprintln(os.Stderr, "pvasrun --help explains flags and commands")
		return codeUsage
	}
	if failed, ok := errors.AsType[*bench.JobError](err); ok {
		return failed.Code
	}
	return launcher.ExitCode(err)
}

// execute carries a command line out. A first word that is not the name of a
// command begins the command line of a job, so that its flags need no name
// before them; a program with such a name is run as ./info.
func execute(args []string) error {
	commands := map[string]func([]string) error{
		"info": executeInfo, "bench": executeBench, "completion": executeCompletion, "model": executeModel,
		"install-mpi": executeInstallMPI, "suci": executeSuci, "trace": executeTrace, "tune": executeTune,
		"node": executeNode,
	}
	if asksForCommand(args) {
		return offer(slices.Collect(maps.Keys(commands)), args)
	}
	if len(args) > 0 && commands[args[0]] != nil {
		return commands[args[0]](args[1:])
	}
	err := executeRun(args)
	if p, ok := errors.AsType[*launcher.ProgramError](err); ok && commands[p.Program] != nil &&
		errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; the flags of the command %s stand behind it: pvasrun %[2]s --help", err, p.Program)
	}
	return err
}
