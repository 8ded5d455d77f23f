package cli

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/jessevdk/go-flags"
)

// Parse parses args into a structure of flags and returns the other arguments,
// which begin with the first that is no flag. Asking for help ends the command.
// more are options that the command knows beside these flags, with their dashes, for hints.
func Parse(name, usage string, into any, args []string, more ...string) ([]string, error) {
	return parseHow(flags.PassAfterNonOption, name, usage, into, args, more)
}

// ParseMixed is parse for commands whose flags may also follow other arguments.
func ParseMixed(name, usage string, into any, args []string) (others []string, err error) {
	return parseHow(0, name, usage, into, args, nil)
}

func parseHow(how flags.Options, name, usage string, into any, args, more []string) ([]string, error) {
	p := flags.NewNamedParser(name, how|flags.HelpFlag|flags.PassDoubleDash)
	p.Usage, p.LongDescription = usage, helpOf(name, func(h *help) bool { return h.about != "" }).about
	group, err := p.AddGroup("Flags", "", into)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(name, "pvasrun bench ") {
		group.EnvNamespace = BenchVariables
	}
	if Completing() {
		return nil, offerFlags(p, args)
	}
	if slices.Equal(args, manPage) {
		p.ShortDescription = "starts the ranks of a job"
		p.WriteManPage(os.Stdout)
		return nil, ExitStatus(0)
	}
	rest, err := p.ParseArgs(args)
	if flags.WroteHelp(err) {
		if _, err := fmt.Println(err); err != nil {
			return nil, err
		}
		if err := printExamples(os.Stdout, name); err != nil {
			return nil, err
		}
		return nil, ExitStatus(0)
	}
	if err != nil {
		return nil, Mistake(Explain(p, args, err, more...))
	}
	if err := cmp.Or(ValuesGiven(p), bounded(p, args)); err != nil {
		return nil, Mistake(err)
	}
	return rest, nil
}

// manPage are arguments that no user can give: the answer is the manual page of the command.
var manPage = []string{"man\x00"}

// ExecuteMan prints the manual page of a command line, as its parser knows it.
func ExecuteMan(of func([]string) error) func([]string) error {
	return func(args []string) error {
		if err := ParseOnly("pvasrun man", &struct{}{}, args); err != nil {
			return err
		}
		return of(manPage)
	}
}

// ParseOnly is parse for commands without arguments.
func ParseOnly(name string, into any, args []string) error {
	rest, err := Parse(name, "[flags]", into, args)
	if err == nil && len(rest) > 0 {
		err = Mistake(fmt.Errorf("%s: unexpected argument %q", strings.TrimPrefix(name, "pvasrun "), rest[0]))
	}
	return err
}

// BenchVariables is what the variables of all flags of benchmarks begin with. A variable
// that is set for jobs does not reach a benchmark, where the flag of that name may take a
// list, or mean something else.
const BenchVariables = "PVASRUN_BENCH"
