// Command pvasrun starts the ranks of a job in one address space (or, as a
// fallback, as classic processes), measures what that costs, and says what this
// machine can do.
//
//	pvasrun -n 4 ./examples/hello
//	pvasrun -n 2 a : -n 3 b
//	pvasrun bench touch -n 8,16,32,64
//	pvasrun info
//	pvasrun completion bash
//
// pvasrun --help lists the flags. Only flags, subcommands and printing live
// here; the work is done by packages launcher, bench and internal/machine.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/jessevdk/go-flags"

	"github.com/gopvas/gopvas/bench"
	"github.com/gopvas/gopvas/internal/bench/transport"
	"github.com/gopvas/gopvas/internal/machine"
	"github.com/gopvas/gopvas/launcher"
)

func main() {
	// The same executable also is the space host of a job, a probe of info, and
	// the rank program of the benchmarks.
	if os.Args[0] == backtraceName {
		os.Exit(backtraceMain(os.Args[1:]))
	}
	launcher.HostMain()
	machine.ProbeMain()
	if bench.RankMain(os.Args[1:]) || transport.NodeMain(os.Args[1:]) {
		return
	}
	offerBacktraces()
	os.Exit(run(os.Args[1:]))
}

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

// parse parses args into a structure of flags and returns the other arguments,
// which begin with the first that is no flag. Asking for help ends the command.
func parse(name, usage, long string, into any, args []string) ([]string, error) {
	return parseHow(flags.PassAfterNonOption, name, usage, long, into, args)
}

// parseMixed is parse for commands whose flags may also follow other arguments.
func parseMixed(name, usage, long string, into any, args []string) (others []string, err error) {
	return parseHow(0, name, usage, long, into, args)
}

func parseHow(how flags.Options, name, usage, long string, into any, args []string) ([]string, error) {
	p := flags.NewNamedParser(name, how|flags.HelpFlag|flags.PassDoubleDash)
	p.Usage, p.LongDescription = usage, long
	group, err := p.AddGroup("Flags", "", into)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(name, "pvasrun bench ") {
		group.EnvNamespace = benchVariables
	}
	if completing() {
		return nil, offerFlags(p, args)
	}
	rest, err := p.ParseArgs(args)
	if flags.WroteHelp(err) {
		if _, err := fmt.Println(err); err != nil {
			return nil, err
		}
		if err := printExamples(os.Stdout, name); err != nil {
			return nil, err
		}
		return nil, exitStatus(0)
	}
	if err != nil {
		return nil, usageError{explain(p, args, err)}
	}
	if err := cmp.Or(valuesGiven(p), bounded(p, args)); err != nil {
		return nil, usageError{err}
	}
	return rest, nil
}

// benchVariables is what the variables of all flags of benchmarks begin with. A variable
// that is set for jobs does not reach a benchmark, where the flag of that name may take a
// list, or mean something else.
const benchVariables = "PVASRUN_BENCH"

// parseOnly is parse for commands without arguments.
func parseOnly(name, long string, into any, args []string) error {
	rest, err := parse(name, "[flags]", long, into, args)
	if err == nil && len(rest) > 0 {
		err = usageError{fmt.Errorf("%s: unexpected argument %q", name, rest[0])}
	}
	return err
}

// codeUsage is the exit code for a mistake on the command line, as shells and
// getopt programs have it.
const codeUsage = 2

// A usageError is a mistake on the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// An exitStatus ends the command with a code when everything has been said.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit code %d", int(s)) }
