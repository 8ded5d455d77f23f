package rankside

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/gopvas/gopvas/mpi"
)

const Blocks = 10 // the repetitions of messages are timed in so many parts, as a rule

// TimedRank is a rank program with the arguments BENCHMARK BYTES:REPETITIONS,...
// SECONDS: it has measure do the benchmark, which the name stands for, at one size after
// another, for no longer than so many seconds each.
func TimedRank[B any](args []string, benchmarks map[string]B,
	measure func(world *mpi.Comm, b B, n int, limits Pace) error) {
	var name, loads string
	var seconds float64
	ScanArgs("benchmark, BYTES:REPETITIONS,... and seconds", args, &name, &loads, &seconds)
	limit := time.Duration(seconds * float64(time.Second))
	benchmark, known := benchmarks[name]
	if !known {
		fmt.Fprintf(os.Stderr, "bench: there is no benchmark %q\n", name)
		os.Exit(2)
	}
	mpi.Run(func(world *mpi.Comm) error {
		for item := range strings.SplitSeq(loads, ",") {
			n, reps, err := parseLoad(item)
			if err != nil {
				return err
			}
			if err := measure(world, benchmark, n, Pace{reps, limit}); err != nil {
				return err
			}
		}
		return nil
	})
}

// TimedBlocks warms up, makes the steps in so many parts at most, each after a barrier, and lets rank 0
// print the line that package timed reads: of n bytes, the time of a unit, of which a step has
// so many.
func TimedBlocks(world *mpi.Comm, n int, units float64, parts int, limits Pace, step func() error) error {
	reps, err := limits.WarmUp(world, func(int) error { return step() })
	if err != nil {
		return err
	}
	parts = min(reps, parts)
	per := reps / parts
	var sum, most float64
	least := -1.0
	for range parts {
		if err := world.Barrier(); err != nil {
			return err
		}
		start := time.Now()
		for range per {
			if err := step(); err != nil {
				return err
			}
		}
		t := float64(time.Since(start).Nanoseconds()) / 1e3 / float64(per) / units
		sum += t
		most = max(most, t)
		if least < 0 || t < least {
			least = t
		}
	}
	if world.Rank() == 0 {
		fmt.Printf("%d %d %.4f %.4f %.4f\n", n, parts*per, sum/float64(parts), least, most)
	}
	return nil
}

// parseLoad parses BYTES:REPETITIONS.
func parseLoad(s string) (n, reps int, err error) {
	bytes, times, _ := strings.Cut(s, ":")
	if n, err = strconv.Atoi(bytes); err != nil || n < 0 {
		return 0, 0, fmt.Errorf("bench: %q is not BYTES:REPETITIONS", s)
	}
	if reps, err = strconv.Atoi(times); err != nil || reps < 1 {
		return 0, 0, fmt.Errorf("bench: %q is not BYTES:REPETITIONS", s)
	}
	return n, reps, nil
}

// Touched returns n bytes, all pages of which are there, so that none is missing when
// it counts.
func Touched(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = 1
	}
	return b
}
