package costs

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/internal/lab/median"
	"github.com/gopvas/gopvas/launcher"
)

// The host of a virtual machine may move its CPUs: to the two threads of one core, to cores that share
// a cache, or to others. What a message takes depends on it by a factor of two or more. A job that
// keeps its CPUs busy mostly stays where it began. So measurements that belong together are made at
// one distance: a job that begins elsewhere ends at once, and is started again.

// Distances are how far the CPUs of two ranks were apart when jobs began: see Distance.
type Distances struct {
	Used float64   // the most common one, ns; 0: not known
	Seen []float64 // of all jobs, ns
}

// Elsewhere is how many of the jobs were at another distance than that used.
func (d Distances) Elsewhere() (n int) {
	for _, seen := range d.Seen {
		if !SameDistance(seen, d.Used) {
			n++
		}
	}
	return n
}

// looks is how many jobs look for the most common distance, and leastLooks how many do so when there is no time.
const (
	looks      = 7
	leastLooks = 3
)

// FindDistances starts short jobs, and says at which distance most of them were. Where others take the CPUs a job takes
// seconds to start: when the limit is over there are no more than leastLooks.
func FindDistances(ctx context.Context, who runner.Contestant, limit time.Duration) (Distances, error) {
	var d Distances
	for began := time.Now(); len(d.Seen) < looks; {
		if len(d.Seen) >= leastLooks && time.Since(began) >= limit {
			break
		}
		out, err := who.Run(ctx, 2, []string{"distance"})
		if err != nil {
			return d, fmt.Errorf("bench: distance of %s: %w", who, err)
		}
		var ns float64
		if _, err := fmt.Sscan(string(out), &ns); err != nil {
			return d, fmt.Errorf("bench: distance of %s: unexpected output %.200q: %w", who, out, err)
		}
		d.Seen = append(d.Seen, ns)
	}
	d.Used = commonest(d.Seen)
	return d, nil
}

// commonest returns the median of those distances that are most.
func commonest(seen []float64) float64 {
	var most []float64
	for _, one := range seen {
		same := slices.DeleteFunc(slices.Clone(seen), func(ns float64) bool { return !SameDistance(ns, one) })
		if len(same) > len(most) {
			most = same
		}
	}
	return median.Of(most)
}

// runAt is runner.RunOurs of a job that begins at a distance. Its last argument is that distance; 0: any. Jobs are
// started for it until patience is over, so that the search takes no longer than what is measured; then any distance
// will do.
func runAt(ctx context.Context, c runner.Contestant, distance float64, n int, args []string,
	patience time.Duration, adapt func(*launcher.Job)) ([]byte, error) {
	for began := time.Now(); ; {
		out, err := c.RunOurs(ctx, n, append(slices.Clone(args), fmt.Sprint(distance)), adapt)
		if err != nil || !bytes.HasPrefix(out, []byte(elsewhereLine)) {
			return out, err
		}
		if time.Since(began) >= patience {
			distance = 0
		}
	}
}
