package runner

import "fmt"

// InTurn runs a job of each contestant in each round, so that what disturbs the machine for a
// while disturbs all of them. step is told before each job and may be nil; job runs one of the
// contestant with that number. The results are by contestant and round.
func InTurn[R any](names []string, rounds int, step func(name string, round int),
	job func(contestant int) (R, error)) ([][]R, error) {
	results := make([][]R, len(names))
	for round := range rounds {
		for i, name := range names {
			if step != nil {
				step(name, round)
			}
			r, err := job(i)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			results[i] = append(results[i], r)
		}
	}
	return results, nil
}

// NamesOf are the contestants' names, and behind each what it is measured at.
func NamesOf[C fmt.Stringer](contestants []C, what string) []string {
	names := make([]string, len(contestants))
	for i, c := range contestants {
		names[i] = c.String() + what
	}
	return names
}
