package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/bench"
)

// executeBench runs the benchmark that the first argument names.
func executeBench(args []string) error {
	benchmarks := map[string]func([]string) error{
		"touch": executeTouch, "footprint": executeFootprint, "npb": executeNPB,
	}
	for _, name := range bench.Patterns() {
		benchmarks[name] = func(args []string) error { return executeTimed(name, messageKind, args) }
	}
	for _, name := range bench.Collectives() {
		benchmarks[name] = func(args []string) error { return executeTimed(name, collectiveKind, args) }
	}
	names := slices.Sorted(maps.Keys(benchmarks))
	switch {
	case asksForCommand(args):
		return offer(names, args)
	case len(args) > 0 && (args[0] == "-h" || args[0] == "--help"):
		return printBenchmarks(os.Stdout, names)
	case len(args) == 0 || benchmarks[args[0]] == nil:
		return usageError{fmt.Errorf("bench: name a benchmark: %s", strings.Join(names, ", "))}
	}
	return benchmarks[args[0]](args[1:])
}
