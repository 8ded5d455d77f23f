package costs

import (
	"slices"

	"github.com/gopvas/gopvas/internal/median"
	"github.com/gopvas/gopvas/loggps/fit"
)

// calibrate finds out how long an iteration takes beside a peer that polls, which may slow
// the CPU down: from empty round trips with two loops that are both longer than they.
func (r *tripRank) calibrate() error {
	const short, long = 1500, 4500
	const rounds = 20
	var times [2]float64
	for i, loop := range []int{short, long} {
		var err error
		if times[i], err = r.trips(0, rounds, loop); err != nil {
			return err
		}
	}
	here, err := r.here()
	if err != nil {
		return err
	}
	if took := times[1] - times[0]; took > 0 && here { // else others had the CPU, or it was moved
		r.perLoops = append(r.perLoops, took/(long-short))
	}
	if len(r.perLoops) == 0 {
		r.perLoops = append(r.perLoops, times[1]/long)
	}
	r.perLoop = median.Of(r.perLoops)
	return nil
}

// here tells whether the CPUs are where they are to be. Rank 1 measures it, too.
func (r *tripRank) here() (bool, error) {
	if r.place.wanted == 0 {
		return true, nil
	}
	if err := r.order(order{orderDistance, 0, 1}); err != nil {
		return false, err
	}
	return r.place.Here(), nil
}

// take keeps a sample. here tells whether the CPUs were where they are to be before it and behind it.
func (r *tripRank) take(here bool, s fit.Sample) {
	if here {
		r.samples = append(r.samples, s)
	} else {
		r.others = append(r.others, s)
	}
}

// enough returns the samples that count: all of them where few are at the wanted distance. The host has
// then moved the CPUs soon after the job began, and a fit of few sizes would say less.
func (r *tripRank) enough() []fit.Sample {
	if len(r.samples) >= len(r.others) {
		return r.samples
	}
	return slices.Concat(r.samples, r.others)
}
