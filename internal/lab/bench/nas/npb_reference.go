package nas

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/lab/bench/npb"
	"github.com/gopvas/gopvas/internal/lab/bench/runner"
)

// program is the name that the build of Run 3.4 gives.
func (cfg *Config) program() string { return fmt.Sprintf("%s.%s.x", cfg.Benchmark, cfg.Class) }

// onlyNASA are the benchmarks that package npb does not have, and whether they take a square of ranks.
var onlyNASA = map[string]bool{"bt": true, "lu": false, "sp": true}

// Benchmarks are the names of those that can be run.
func Benchmarks() []string {
	names := npb.Kernels()
	for name := range onlyNASA {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Check tells whether there is such a benchmark and class, and whether its rules permit so many ranks.
func (cfg *Config) Check(ranks int) error {
	inGo := func(c runner.Contestant) bool { return c.Built(cfg.program()) == "" }
	square, only := onlyNASA[cfg.Benchmark]
	switch {
	case !slices.Contains(Benchmarks(), cfg.Benchmark):
		return fmt.Errorf("npb: there is no benchmark %q: choose %s", cfg.Benchmark,
			strings.Join(Benchmarks(), ", "))
	case slices.ContainsFunc(cfg.Contenders, inGo) && only:
		return fmt.Errorf("npb: %s is one of NASA's programs: give the folder of those that were built with mpifort "+
			"of install-mpi by --programs", cfg.Benchmark)
	case slices.ContainsFunc(cfg.Contenders, runner.Contestant.IsThreads):
		return npb.CheckThreads(cfg.Benchmark, cfg.Class, ranks)
	case !only:
		return npb.Check(cfg.Benchmark, cfg.Class, ranks)
	}
	if root := int(math.Sqrt(float64(ranks))); square && root*root != ranks {
		return fmt.Errorf("npb: %s with %d ranks: the number of ranks must be a square, such as 4 or 9", cfg.Benchmark,
			ranks)
	}
	return nil
}

// hasReference returns an error if the contestant is a reference without the program.
func (cfg *Config) hasReference(c runner.Contestant) error {
	program := c.Built(cfg.program())
	if program == "" {
		return nil
	}
	if _, err := os.Stat(program); err != nil {
		return fmt.Errorf("npb: %w: build NPB 3.4 (nas.nasa.gov) for %s there, or name its folder by --programs "+
			"(ours) or --reference", err, c.Name)
	}
	return nil
}

// reference runs the program and reads what it prints.
func (cfg *Config) reference(ctx context.Context, c runner.Contestant, ranks int) (npb.Result, error) {
	out, err := c.Run(ctx, ranks, []string{cfg.program()})
	if err != nil {
		return npb.Result{}, err
	}
	return npb.ParseResult(bytes.NewReader(out))
}
