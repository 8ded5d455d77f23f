package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/lab/tune"
	"github.com/gopvas/gopvas/internal/node/atomicfile"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/pvas"
)

// leastRounds: of two ways that are the same, all five rounds of one are before those of the other
// in less than one case of a hundred.
const leastRounds = 5

// noOutput is the value of --output that writes nothing.
const noOutput = "-"

// parameterNames is a list of parameters that are tuned.
type parameterNames []string

// UnmarshalFlag parses a flag's value.
func (v *parameterNames) UnmarshalFlag(text string) error {
	list, ok := cli.Words(text, v.Items())
	if !ok {
		return fmt.Errorf("%q is not a list of parameters: write some of %s", text, strings.Join(v.Items(), ","))
	}
	*v = list
	return nil
}

// Items are all of them.
func (parameterNames) Items() []string { return tune.Names() }

type tuneFlags struct {
	Output     string         `short:"o" long:"output" env:"PVASRUN_TUNE_OUTPUT" value-name:"FILE" default-mask:"gopvas/profile.json in the folder of your configurations" description:"where to write the profile; - writes none"`
	Only       parameterNames `long:"only" env:"PVASRUN_TUNE_ONLY" value-name:"LIST" default-mask:"all" description:"parameters to measure, such as eager_limit,spin; the others keep their defaults"`
	Rounds     int            `long:"rounds" env:"PVASRUN_ROUNDS" value-name:"N" default:"7" description:"runs of each way, in turn"`
	MaxSeconds cli.Lapse      `long:"max-seconds" env:"PVASRUN_MAX_SECONDS" value-name:"DUR" default:"110" description:"measure each length for a shorter time if it would take longer, all in all"`
	JSON       bool           `long:"json" env:"PVASRUN_JSON" description:"print the profile"`
}

func ExecuteTune(args []string) error {
	var f tuneFlags
	if err := cli.ParseOnly("pvasrun tune", &f, args); err != nil {
		return err
	}
	if f.Rounds < leastRounds || f.Rounds > 1000 {
		return cli.Mistake(fmt.Errorf("tune: --rounds: want %d to 1000", leastRounds))
	}
	if f.MaxSeconds == 0 {
		return cli.Mistake(errors.New("tune: --max-seconds: 0 leaves no time to measure: give some, such as 60"))
	}
	if err := f.findOutput(); err != nil {
		return cli.Mistake(fmt.Errorf("tune: --output: %w", err))
	}
	var p *tune.Profile
	err := cli.UntilSignal(func(ctx context.Context) (err error) {
		p, err = f.measure(ctx, args)
		return err
	})
	if err != nil {
		return err
	}
	if f.Output != noOutput {
		// A signal now is too late, and must leave no half.
		if err := cli.UntilSignal(func(context.Context) error { return p.WriteFile(f.Output) }); err != nil {
			return err
		}
	}
	if f.JSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		return out.Encode(p)
	}
	return f.print(os.Stdout, p)
}

// findOutput finds out where to write, and whether that can be done: now, and not when all has
// been measured.
func (f *tuneFlags) findOutput() (err error) {
	if f.Output == noOutput {
		return nil
	}
	if f.Output == "" {
		if f.Output, err = tune.Path(); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(f.Output), 0o755); err != nil {
			return err
		}
	}
	if err := cli.Profile.Replaceable(f.Output); err != nil {
		return cli.Mistake(err)
	}
	return atomicfile.Probe(f.Output)
}

// measure measures what args ask for.
func (f *tuneFlags) measure(ctx context.Context, args []string) (*tune.Profile, error) {
	c := tune.Config{
		Machine: tune.ThisMachine(), Command: strings.Join(append([]string{"pvasrun", "tune"}, args...), " "),
		Version: cli.ModuleVersion(), Now: time.Now(), Only: f.Only, Rounds: f.Rounds,
		Limit: time.Duration(f.MaxSeconds),
	}
	c.Machine.ProbeCMA()
	if err := ownSpace(); err != nil {
		c.NoPvas = err.Error()
	}
	progress := cli.NewProgress(c.Steps())
	defer progress.Done()
	c.Step = progress.Begin
	return tune.Measure(ctx, c)
}

// ownSpace says why ranks of this program cannot share an address space.
func ownSpace() error {
	self, err := os.Executable()
	if err == nil {
		err = pvas.Supported()
	}
	if err == nil {
		err = pvas.Check(self)
	}
	return err
}

func (f *tuneFlags) print(w io.Writer, p *tune.Profile) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "Parameter\tbtl\tdefault\tvalue\t")
	for _, own := range p.Parameters {
		model := own.Model
		if model == "" {
			model = "both"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", own.Name, model, amount(own.Default, own.Unit),
			amount(own.Value, own.Unit), verdictText(own))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if f.Output == noOutput {
		return nil
	}
	_, err := fmt.Fprintf(w, "\n%s is written.\n", f.Output)
	return err
}

func verdictText(own tune.Parameter) string {
	if own.Reason != "" {
		return fmt.Sprintf("%s: %s", own.Verdict, own.Reason)
	}
	return string(own.Verdict)
}

// amount is a value of a parameter for people.
func amount(n int, unit string) string {
	switch {
	case n == 0 && unit == "bytes":
		return "found by each rank"
	case n == job.Never:
		return "never"
	}
	return fmt.Sprintf("%d %s", n, unit)
}
