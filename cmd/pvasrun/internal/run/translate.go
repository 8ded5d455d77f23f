package run

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/jessevdk/go-flags"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/options"
)

// known are the flags of a job, as package options asks for them.
type known struct{ *flags.Parser }

func (k known) Flag(word string) (known, takesValue bool) {
	opt := cli.OptionNamed(k.Parser, word)
	return opt != nil, opt != nil && cli.TakesValue(opt)
}

// translate replaces the options of other launchers by flags of pvasrun, and prints the warnings.
func translate(args []string) ([]string, error) {
	ours, warnings, err := options.Translate(known{flags.NewParser(&Flags{}, flags.None)}, args)
	for _, text := range warnings {
		fmt.Fprintln(os.Stderr, "pvasrun:", text)
	}
	return ours, err
}

// PrintOptions prints what pvasrun does with the options of another launcher.
func PrintOptions(launcher string) error {
	fmt.Printf("Options of %s, and what pvasrun does with them; one dash and two are the same. Others are spelled as\n"+
		"flags of pvasrun, which pvasrun --help lists.\n\n", launcher)
	return options.PrintHelp(os.Stdout, launcher)
}

// offer offers options of other launchers to a shell that completes the only argument, if no flag of pvasrun begins so.
func offer(args []string) error {
	if len(args) != 1 || !strings.HasPrefix(args[0], "--") || strings.Contains(args[0], "=") {
		return nil
	}
	p, last := flags.NewParser(&Flags{}, flags.None), args[0]
	for _, opt := range cli.Options(p) {
		if strings.HasPrefix("--"+opt.LongName, last) {
			return nil
		}
	}
	return cli.Offer(options.Names(), args)
}

// parametersOf are the variables with parameters of Open MPI, which mean nothing here.
func parametersOf(environ []string) (names []string) {
	for _, kv := range environ {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "OMPI_MCA_") ||
			strings.HasPrefix(name, "PRTE_MCA_") || strings.HasPrefix(name, "PMIX_MCA_") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
