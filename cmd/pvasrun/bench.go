package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/gopvas/gopvas/bench"
	"github.com/gopvas/gopvas/launcher"
)

// executeBench runs the benchmark that the first argument names.
func executeBench(args []string) error {
	benchmarks := map[string]func(context.Context, []string) error{
		"touch": executeTouch, "footprint": executeFootprint, "npb": executeNPB, "overlap": executeOverlap,
		"suci": executeSuciBenchmark, "exchange": executeExchange,
		"all": executeAll, "report": executeReport, "diff": executeDiff,
	}
	for _, name := range bench.Patterns() {
		benchmarks[name] = func(ctx context.Context, args []string) error { return executeTimed(ctx, name, messageKind, args) }
	}
	for _, name := range bench.Collectives() {
		benchmarks[name] = func(ctx context.Context, args []string) error { return executeTimed(ctx, name, collectiveKind, args) }
	}
	for _, name := range bench.Layouts() {
		benchmarks[name] = func(ctx context.Context, args []string) error { return executeTimed(ctx, name, layoutKind, args) }
	}
	names := slices.Sorted(maps.Keys(benchmarks))
	switch {
	case asksForCommand(args):
		return offer(names, args)
	case asksForHelp(args):
		return printBenchmarks(os.Stdout, names)
	case len(args) == 0 || benchmarks[args[0]] == nil:
		return usageError{fmt.Errorf("bench: name a benchmark: %s", strings.Join(names, ", "))}
	}
	ctx, stop := interruptible()
	defer stop()
	return benchmarks[args[0]](ctx, args[1:])
}

// interruptible returns a context that ends at the signals that ask for an end, so that
// a benchmark leaves no rank and no file behind. Its cause is a launcher.Interrupted.
// What is ignored stays so.
func interruptible() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	asked := make(chan os.Signal, 1)
	for _, sig := range []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		if sig == syscall.SIGTERM || !signal.Ignored(sig) {
			signal.Notify(asked, sig)
		}
	}
	go func() {
		select {
		case sig := <-asked:
			cancel(launcher.Interrupted{Signal: sig.(syscall.Signal)})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(asked)
		cancel(nil)
	}
}
