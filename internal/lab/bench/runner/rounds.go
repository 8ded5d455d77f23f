package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// InTurn runs a job of each contestant in each round, so that what disturbs the machine for a
// while disturbs all of them. step is told before each job and may be nil; job runs one of the
// contestant with that number. The results are by contestant and round.
//
// A contestant that fails runs no more and has no results. Those of the others stand, and the error tells of all that
// have failed. Nobody has results if ctx has ended.
func InTurn[R any](ctx context.Context, names []string, rounds int, step func(name string, round int),
	job func(contestant int) (R, error)) ([][]R, error) {
	results, failed := make([][]R, len(names)), make([]error, len(names))
	for round := range rounds {
		for i, name := range names {
			if failed[i] != nil {
				continue
			}
			if step != nil {
				step(name, round)
			}
			r, err := job(i)
			if err != nil {
				failed[i] = fmt.Errorf("%s: %w", name, err)
				results[i] = nil
			} else {
				results[i] = append(results[i], r)
			}
			if ctx.Err() != nil {
				return make([][]R, len(names)), cmp.Or(failed[i], context.Cause(ctx))
			}
		}
	}
	return results, errors.Join(failed...)
}

// Standing returns the contestants that have results, and these.
func Standing[C, R any](contestants []C, results [][]R) (standing []C, of [][]R) {
	for i, r := range results {
		if len(r) > 0 {
			standing, of = append(standing, contestants[i]), append(of, r)
		}
	}
	return standing, of
}

// NamesOf are the contestants' names, and behind each what it is measured at.
func NamesOf[C fmt.Stringer](contestants []C, what string) []string {
	names := make([]string, len(contestants))
	for i, c := range contestants {
		names[i] = c.String() + what
	}
	return names
}
