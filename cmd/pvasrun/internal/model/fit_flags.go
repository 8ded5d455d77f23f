package model

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/site"
	"github.com/gopvas/gopvas/internal/lab/bench/costs"
	"github.com/gopvas/gopvas/internal/node/job"
)

// fitFlags are those of model fit.
type fitFlags struct {
	From       string         `long:"from" env:"PVASRUN_FROM" value-name:"FILE.csv" description:"fit these times and measure nothing"`
	Output     string         `short:"o" long:"output" env:"PVASRUN_MODEL_OUTPUT" value-name:"FILE" description:"write the parameters, for --machine; of several combinations of --btl and --caches, the names of the others have it added"`
	BTL        cli.BTLNames   `long:"btl" env:"PVASRUN_MODEL_BTL" value-name:"LIST" default:"pvas,sm" description:"task models to measure"`
	Caches     cli.CacheNames `long:"caches" env:"PVASRUN_CACHES" value-name:"LIST" default:"warm,cold" description:"states of the caches to measure"`
	Largest    cli.Size       `long:"largest" env:"PVASRUN_LARGEST" value-name:"SIZE" default:"256KiB" description:"longest message to measure"`
	EagerLimit cli.Size       `long:"eager-limit" env:"PVASRUN_EAGER_LIMIT" value-name:"SIZE" default:"4KiB" description:"the eager limit of the ranks that are measured"`
	Times      int            `long:"times" most:"1000; every five of them are a job; the first job takes its time even if --max-seconds is over" env:"PVASRUN_TIMES" value-name:"N" default:"20" description:"how often to measure each size"`
	MaxSeconds cli.Lapse      `long:"max-seconds" env:"PVASRUN_MAX_SECONDS" value-name:"DUR" default:"55" description:"measure each size less often if it would take longer, all in all; the least that is measured takes some seconds"`
	Ranks      int            `long:"ranks" env:"PVASRUN_MODEL_RANKS" value-name:"N" default:"2" description:"ranks of the collective calls that are measured for -o; 0: measure none"`
	Repeat     int            `long:"repeat" most:"1000000; a fit takes a second at least" env:"PVASRUN_REPEAT" value-name:"N" default:"1" description:"measure and fit so often, at least once and else within --max-seconds all in all, and print how far the results lie apart"`
	Samples    string         `long:"samples" env:"PVASRUN_SAMPLES" value-name:"FILE.csv" description:"write the measured times, for --from; several combinations as for -o"`
	Plot       string         `long:"plot" env:"PVASRUN_PLOT" value-name:"FILE.svg" description:"draw the times, the lines and the jumps; several combinations as for -o"`
	JSON       bool           `long:"json" env:"PVASRUN_JSON" description:"print one JSON object per combination"`

	Network site.Flags `group:"A network to measure besides, between two nodes" env-namespace:"PVASRUN_FIT"`

	placed map[string]costs.Distances // by task model: all fits are made at one distance
}

func (f *fitFlags) check() error {
	switch {
	case f.Largest < 1<<10 || f.Largest > 16<<20:
		return errors.New("--largest: want 1 KiB to 16 MiB")
	case f.Times < 3:
		return errors.New("--times: want 3 or more")
	case f.Ranks < 0 || f.Ranks == 1 || f.Ranks > max(2, runtime.NumCPU()):
		return fmt.Errorf("--ranks: want 2 to %d, as many as there are CPUs, or 0 for no collective calls",
			max(2, runtime.NumCPU()))
	case f.MaxSeconds == 0:
		return errors.New("--max-seconds: 0 leaves no time to measure: give some, such as 55")
	case f.Repeat < 1:
		return errors.New("--repeat: want 1 or more")
	case f.Repeat > 1 && f.Output+f.Plot+f.Samples+f.From != "":
		return errors.New("--repeat: the results are not one machine: leave out -o, --plot, --samples and --from")
	case f.EagerLimit < 1 || f.EagerLimit > job.MaxEagerLimit:
		return errors.New("--eager-limit: want 1 to 64 KiB")
	}
	if err := f.checkNetwork(); err != nil {
		return err
	}
	var outputs []cli.Named
	for i, who := range f.combinations() {
		for _, out := range []cli.Named{{By: "-o", File: f.machineFile(who)}, {By: "--plot", File: f.Plot},
			{By: "--samples", File: f.Samples}} {
			outputs = append(outputs, cli.Named{By: out.By, File: cli.NameOf(out.File, who, i)})
		}
	}
	if err := cli.Apart(outputs, cli.Named{By: "the times of --from", File: f.From}); err != nil {
		return err
	}
	kinds := map[string]cli.Kind{"-o": cli.Parameters, "--plot": cli.Plot, "--samples": cli.Times}
	for _, out := range outputs {
		if err := cli.Writable(out.File, kinds[out.By]); err != nil {
			return cli.Mistake(fmt.Errorf("%s: %w", out.By, err)) // now, and not when all has been measured
		}
	}
	return nil
}

// combinations names what is fitted, in order.
func (f *fitFlags) combinations() (list []string) {
	if f.From != "" {
		return []string{""}
	}
	for _, btl := range f.BTL {
		for _, caches := range f.Caches {
			list = append(list, btl+"-"+caches)
		}
		if f.Network.Several() {
			list = append(list, networkOf(btl))
		}
	}
	return list
}
