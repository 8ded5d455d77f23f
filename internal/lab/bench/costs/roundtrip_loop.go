package costs

import (
	"math"
	"slices"
	"time"

	"github.com/gopvas/gopvas/internal/lab/median"
	"github.com/gopvas/gopvas/loggps/fit"
)

// calibrate finds out how long an iteration takes beside a peer that polls, which may slow
// the CPU down: from empty round trips with two loops that are both longer than they.
func (r *tripRank) calibrate() error {
	const rounds = 20
	if r.least == 0 {
		if err := r.findLeast(rounds); err != nil {
			return err
		}
	}
	short, long := r.least, 3*r.least
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
		r.perLoops = append(r.perLoops, took/float64(long-short))
	}
	if len(r.perLoops) == 0 {
		r.perLoops = append(r.perLoops, times[1]/float64(long))
	}
	r.perLoop = median.Of(r.perLoops)
	return nil
}

// findLeast finds a loop that is longer than an empty round trip: over a network that is a thousand times what it is in
// memory. A loop alone takes no longer than beside a peer that polls.
func (r *tripRank) findLeast(rounds int) error {
	const leastLoop = 1500
	bare, err := r.trips(0, rounds, 0)
	if err != nil {
		return err
	}
	alone := math.Inf(1)
	for range rounds {
		start := time.Now()
		spin(leastLoop)
		alone = min(alone, float64(time.Since(start).Nanoseconds()))
	}
	r.least = max(leastLoop, int(1.5*bare/max(alone, 1)*leastLoop))
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
