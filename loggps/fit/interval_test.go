package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"text/tabwriter"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/loggps"
)

// noises are ways in which times scatter. Each makes, for a set of data, what becomes of a time of a cell.
var noises = []struct {
	name string
	set  func(rng *rand.Rand, p loggps.Params) func(cell int, t float64) float64
}{
	{"constant", func(rng *rand.Rand, p loggps.Params) func(int, float64) float64 {
		return func(_ int, t float64) float64 { return t + 0.05*p.O*rng.NormFloat64() }
	}},
	{"relative", func(rng *rand.Rand, _ loggps.Params) func(int, float64) float64 {
		return func(_ int, t float64) float64 { return t * (1 + 0.02*rng.NormFloat64()) }
	}},
	{"grows", func(rng *rand.Rand, p loggps.Params) func(int, float64) float64 {
		octaves := math.Log(p.RoundTrip(1<<16, 0) / p.O)
		return func(_ int, t float64) float64 { // 0.5 to 5 %
			return t * (1 + 0.005*math.Pow(10, math.Log(t/p.O)/octaves)*rng.NormFloat64())
		}
	}},
	{"outliers", func(rng *rand.Rand, _ loggps.Params) func(int, float64) float64 {
		return func(_ int, t float64) float64 {
			if t *= 1 + 0.02*rng.NormFloat64(); rng.Float64() < 0.05 {
				t *= 1.5 + 5*rng.Float64()
			}
			return t
		}
	}},
	{"bumps", func(rng *rand.Rand, _ loggps.Params) func(int, float64) float64 { // sizes lie off the lines
		off := map[int]float64{}
		return func(cell int, t float64) float64 {
			if _, ok := off[cell]; !ok {
				off[cell] = 0.01 * rng.NormFloat64()
			}
			return t * (1 + off[cell] + 0.005*rng.NormFloat64())
		}
	}},
}

// scattered makes 20 samples of each cell.
func scattered(p loggps.Params, noise func(cell int, t float64) float64) (samples []Sample) {
	for range 20 {
		for i, k := range Sizes(1 << 16) {
			if i > 4 && i%3 != 0 {
				continue // a third of the sizes is enough
			}
			w := 1.25 * p.RoundTrip(k, 0)
			samples = append(samples, Sample{RoundTrip, k, 0, noise(3*i, p.RoundTrip(k, 0))},
				Sample{RoundTrip, k, w, noise(3*i+1, p.RoundTrip(k, w))})
			if p.Eager(k) {
				samples = append(samples, Sample{Send, k, 0, noise(3*i+2, p.SendTime(k, 0))})
			}
		}
	}
	return samples
}

// coverage is what intervals of a parameter say in many sets of data.
type coverage struct{ sets, inside, width, sum, squares float64 }

func (c *coverage) add(e Estimate, truth float64) {
	c.sets++
	if e.Low <= truth && truth <= e.High {
		c.inside++
	}
	off := e.Value - truth
	c.width, c.sum, c.squares = c.width+(e.High-e.Low)/2, c.sum+off, c.squares+off*off
}

func (c *coverage) share() float64 { return c.inside / c.sets }

// wide is how wide an interval is, by what would be right if estimates are normally distributed.
func (c *coverage) wide() float64 {
	deviation := math.Sqrt(max(c.squares-c.sum*c.sum/c.sets, 0) / (c.sets - 1))
	return c.width / c.sets / (1.96 * deviation)
}

// TestCoverage: an interval of 95 % has the truth in it in about 95 of 100 sets of data. That holds for each parameter,
// however times scatter, and no interval is wider than it must be.
func TestCoverage(t *testing.T) {
	sets, least, widest := 40, 0.7, 2.6 // a deviation of 40 sets is known to 11 %
	if testkit.Long() && !testkit.Race {
		sets, least, widest = 200, 0.82, 2.0 // less than 90 by chance
	}
	link, err := loggps.Preset("fast-ethernet")
	require.NoError(t, err)
	p, truth := link.Params, link.Params.Values()
	seed := testkit.Seed(t)
	table := tabwriter.NewWriter(os.Stderr, 0, 0, 2, ' ', 0)
	if testing.Verbose() {
		defer table.Flush()
	}
	for _, noise := range testkit.Some(noises...) {
		var all [parameters]coverage
		for set := range sets {
			rng := rand.New(rand.NewPCG(seed, uint64(set)))
			r, err := Fit(scattered(p, noise.set(rng, p)))
			require.NoError(t, err)
			for i, e := range r.Estimates {
				all[i].add(e, truth[i])
			}
		}
		fmt.Fprint(table, noise.name)
		for i := range all {
			c := &all[i]
			fmt.Fprintf(table, "\t%s %.1f %%, width %.2f", loggps.Names[i], 100*c.share(), c.wide())
			assert.GreaterOrEqual(t, c.share(), least, "%s, %s", noise.name, loggps.Names[i])
			assert.Less(t, c.wide(), widest, "%s, %s", noise.name, loggps.Names[i])
		}
		fmt.Fprintln(table)
	}
}
