package bench

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/lab/bench/timed"
)

// benchUsage stands above the list of benchmarks in the help.
const benchUsage = `  pvasrun bench NAME [flags]

Runs a benchmark. Each one has flags and a help of its own: pvasrun bench NAME --help.

Benchmarks:
`

// benchmarks are by their names.
func benchmarks() map[string]func(context.Context, []string) error {
	all := map[string]func(context.Context, []string) error{
		"touch": executeTouch, "mapping": executeMapping, "footprint": executeFootprint,
		"npb": executeNPB, "overlap": executeOverlap,
		"suci": executeSuciBenchmark, "exchange": executeExchange,
		"all": executeAll, "report": executeReport, "diff": executeDiff,
	}
	for _, name := range timed.Patterns() {
		all[name] = func(ctx context.Context, args []string) error {
			return executeTimed(ctx, name, messageKind, args)
		}
	}
	for _, name := range timed.Collectives() {
		all[name] = func(ctx context.Context, args []string) error {
			return executeTimed(ctx, name, collectiveKind, args)
		}
	}
	for _, name := range timed.Layouts() {
		all[name] = func(ctx context.Context, args []string) error {
			return executeTimed(ctx, name, layoutKind, args)
		}
	}
	return all
}

// Execute runs the benchmark that the first argument names.
func Execute(args []string) error {
	benchmarks := benchmarks()
	names := slices.Sorted(maps.Keys(benchmarks))
	switch {
	case cli.AsksForCommand(args):
		return cli.Offer(names, args)
	case cli.AsksForHelp(args):
		return cli.PrintGroup(os.Stdout, "pvasrun bench", benchUsage, "")
	case len(args) == 0 || benchmarks[args[0]] == nil:
		return cli.NoCommand("bench", "benchmark", args[:min(1, len(args))],
			"name a benchmark: "+strings.Join(names, ", "))
	}
	return cli.UntilSignal(func(ctx context.Context) error { return benchmarks[args[0]](ctx, args[1:]) })
}
