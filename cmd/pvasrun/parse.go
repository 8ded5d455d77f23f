package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/jessevdk/go-flags"
)

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
		return nil, mistake(explain(p, args, err))
	}
	if err := cmp.Or(valuesGiven(p), bounded(p, args)); err != nil {
		return nil, mistake(err)
	}
	return rest, nil
}

// parseOnly is parse for commands without arguments.
func parseOnly(name, long string, into any, args []string) error {
	rest, err := parse(name, "[flags]", long, into, args)
	if err == nil && len(rest) > 0 {
		err = mistake(fmt.Errorf("%s: unexpected argument %q", name, rest[0]))
	}
	return err
}

// benchVariables is what the variables of all flags of benchmarks begin with. A variable
// that is set for jobs does not reach a benchmark, where the flag of that name may take a
// list, or mean something else.
const benchVariables = "PVASRUN_BENCH"
