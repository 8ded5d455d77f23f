package npb

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/gopvas/gopvas/mpi"
)

// A kernel is one benchmark.
type kernel interface {
	// check tells whether a class can be run with so many ranks.
	check(class Class, ranks int) error
	// run is called by all ranks; the result is that of rank 0.
	run(world *mpi.Comm, class Class) (Result, error)
}

// A sharingKernel is run by goroutines of one process as well.
type sharingKernel interface {
	kernel
	runBy(t team, class Class) (Result, error)
}

var kernels = map[string]kernel{
	"cg": cg{},
	"ep": ep{},
	"ft": ft{},
	"is": is{},
	"mg": mg{},
}

// Kernels returns the names of the benchmarks.
func Kernels() []string { return slices.Sorted(maps.Keys(kernels)) }

// sharing returns the names of those that goroutines can run.
func sharing() []string {
	return slices.DeleteFunc(Kernels(), func(name string) bool {
		_, shares := kernels[name].(sharingKernel)
		return !shares
	})
}

// Check tells whether there is such a benchmark and class, and whether its rules
// permit so many ranks.
func Check(name string, class Class, ranks int) error {
	k, known := kernels[name]
	if !known {
		return fmt.Errorf("npb: there is no benchmark %q: choose %s", name, strings.Join(Kernels(), ", "))
	}
	if _, err := ParseClass(string(class)); err != nil {
		return err
	}
	if err := k.check(class, ranks); err != nil {
		return fmt.Errorf("npb: %s class %s with %d ranks: %w", name, class, ranks, err)
	}
	return nil
}

// CheckThreads is Check for RunThreads.
func CheckThreads(name string, class Class, n int) error {
	if !slices.Contains(sharing(), name) {
		return fmt.Errorf("npb: goroutines do not run %s: choose %s", name, strings.Join(sharing(), ", "))
	}
	return Check(name, class, n)
}

// Run runs a benchmark; all ranks of the world call it. It returns the result on
// rank 0, and on the others one whose numbers are of no use. The error is that of
// Check, or of a message.
func Run(world *mpi.Comm, name string, class Class) (Result, error) {
	if err := Check(name, class, world.Size()); err != nil {
		return Result{}, err
	}
	r, err := kernels[name].run(world, class)
	if err != nil {
		return Result{}, fmt.Errorf("npb: %s: %w", name, err)
	}
	r.Benchmark, r.Class, r.Ranks = strings.ToUpper(name), class, world.Size()
	return r, nil
}

// RunThreads runs a benchmark by n goroutines of this process, which share memory in place
// of messages. The error is that of CheckThreads, or of a reduction.
func RunThreads(name string, class Class, n int) (Result, error) {
	if err := CheckThreads(name, class, n); err != nil {
		return Result{}, err
	}
	k, c := kernels[name].(sharingKernel), newCrew(n)
	results, errs := make([]Result, n), make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { results[i], errs[i] = k.runBy(&member{crew: c, rank: i}, class) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return Result{}, fmt.Errorf("npb: %s: %w", name, err)
	}
	r := results[0]
	r.Benchmark, r.Class, r.Ranks, r.Threads = strings.ToUpper(name), class, n, true
	return r, nil
}
