package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/loggps"
)

// synthetic makes samples from parameters, 20 for each size: round trips without a loop,
// with a loop a quarter longer than them, and sends. Noise is a relative standard
// deviation, outliers a share of samples that take 1.5 to 6.5 times as long.
func synthetic(rng *rand.Rand, p loggps.Params, sizes []int64, noise, outliers float64) []Sample {
	var samples []Sample
	add := func(kind Kind, k int64, w, t float64) {
		t *= 1 + noise*rng.NormFloat64()
		if rng.Float64() < outliers {
			t *= 1.5 + 5*rng.Float64()
		}
		samples = append(samples, Sample{kind, k, w, t})
	}
	for range 20 {
		for _, k := range sizes {
			w := 1.25 * p.RoundTrip(k, 0)
			add(RoundTrip, k, 0, p.RoundTrip(k, 0))
			add(RoundTrip, k, w, p.RoundTrip(k, w))
			if p.Eager(k) {
				add(Send, k, 0, p.SendTime(k, 0))
			}
		}
	}
	return samples
}

// step is how many measured sizes lie between two.
func steps(sizes []int64, a, b int64) int {
	i, _ := slices.BinarySearch(sizes, a+1)
	j, _ := slices.BinarySearch(sizes, b+1)
	return max(i-j, j-i)
}

// Every parameter that is reported as determined is right, and those that the noise hides
// are reported as not determined.
func TestTable5(t *testing.T) {
	sizes := Sizes(1 << 16)
	hidden := map[string][]string{"myrinet": {"Gl"}, "fast-ethernet": nil, "cenju-4": {"Orl", "Gs", "Gl"}}
	for _, name := range loggps.Presets() {
		link, err := loggps.Preset(name)
		require.NoError(t, err)
		p := link.Params
		for _, c := range []struct{ noise, within float64 }{{0, 0.01}, {0.01, 0.03}, {0.05, 0.08}} {
			determined := map[string]int{}
			const seeds = 3
			for seed := range uint64(seeds) {
				r, err := Fit(synthetic(rand.New(rand.NewPCG(seed, 15)), p, sizes, c.noise, 0.05))
				require.NoError(t, err)
				for i, e := range r.Estimates {
					if e.Determined {
						determined[e.Name]++
						assert.InEpsilon(t, p.Values()[i], e.Value, c.within, "%s, noise %v, seed %d: %s",
							name, c.noise, seed, e.Name)
					}
				}
				assert.True(t, r.Sync.Found, "%s, noise %v, seed %d", name, c.noise, seed)
				assert.LessOrEqual(t, r.Sync.At, p.Sync, "%s, noise %v, seed %d", name, c.noise, seed)
				assert.Greater(t, r.Sync.Next, p.Sync, "%s, noise %v, seed %d", name, c.noise, seed)
				assert.LessOrEqual(t, steps(sizes, p.Packet, r.Packet.At), 1, "%s, noise %v, seed %d: s %d", name,
					c.noise, seed, r.Packet.At)
				assert.InDelta(t, c.noise, r.Noise, 0.1*c.noise+1e-9)
				assert.Greater(t, r.R2, 0.99)
				assert.InDelta(t, 0.05*float64(r.Used+r.Removed), r.Removed, 0.02*float64(r.Used+r.Removed))
			}
			t.Logf("%s, noise %v: determined of %d: %v", name, c.noise, seeds, determined)
			assert.Equal(t, seeds, determined["o"], "%s, noise %v", name, c.noise)
			assert.Equal(t, seeds, determined["Oss"], "%s, noise %v", name, c.noise)
			for i, n := range loggps.Names[:parameters] {
				if c.noise == 0 && p.Values()[i] > 0 {
					assert.Equal(t, seeds, determined[n], "%s without noise: %s", name, n)
				} else if slices.Contains(hidden[name], n) {
					assert.Zero(t, determined[n], "%s, noise %v: %s cannot be known", name, c.noise, n)
				}
			}
		}
	}
}

// Round trips alone give only the sum of the overheads of both sides.
func TestSendsSeparateTheOverheads(t *testing.T) {
	link, err := loggps.Preset("fast-ethernet")
	require.NoError(t, err)
	samples := synthetic(rand.New(rand.NewPCG(1, 1)), link.Params, Sizes(1<<16), 0, 0)
	samples = slices.DeleteFunc(samples, func(s Sample) bool { return s.Kind == Send })
	r, err := Fit(samples)
	require.NoError(t, err)
	assert.Equal(t, []string{"Oss", "Ors"}, r.NotDetermined())
	assert.Contains(t, r.String(), "Oss  not determined  [-Inf, +Inf]")
	l := r.Link("eth0", "a test")
	assert.NotContains(t, l.Interval, "Oss")
	assert.InDelta(t, link.Params.Gl, l.Interval["Gl"][0], 1e-3)
	require.NoError(t, l.Params.Validate())
}

// Loops that are too short are recognised by the fit.
func TestShortLoops(t *testing.T) {
	link, err := loggps.Preset("fast-ethernet")
	require.NoError(t, err)
	p := link.Params
	samples := synthetic(rand.New(rand.NewPCG(1, 1)), p, Sizes(1<<16), 0, 0)
	for _, k := range Sizes(1 << 16)[:8] {
		w := 0.2 * p.RoundTrip(k, 0)
		samples = append(samples, Sample{RoundTrip, k, w, p.RoundTrip(k, w)})
	}
	r, err := Fit(samples)
	require.NoError(t, err)
	assert.InEpsilon(t, p.L, r.Params.L, 1e-6)
	assert.InEpsilon(t, p.Gs, r.Params.Gs, 1e-6)
}

// Where the protocol does not switch within the sizes measured, none is invented.
func TestNoSwitch(t *testing.T) {
	p := loggps.Params{L: 300, O: 200, Oss: 0.05, Ors: 0.1, Gs: 0.2, Gl: 0.2, Packet: 1 << 30, Sync: 1 << 30}
	r, err := Fit(synthetic(rand.New(rand.NewPCG(3, 3)), p, Sizes(1<<14), 0.01, 0.02))
	require.NoError(t, err)
	assert.Equal(t, Break{At: 1 << 14, Next: math.MaxInt64}, r.Sync)
	assert.False(t, r.Packet.Found)
	assert.InEpsilon(t, p.Gs, r.Params.Gs, 0.03)
	assert.Contains(t, r.String(), "S    no switch seen; 16384 is used")
}

func TestBadSamples(t *testing.T) {
	_, err := Fit(nil)
	assert.ErrorIs(t, err, ErrTooFew)
	var same []Sample
	for range 20 {
		same = append(same, Sample{Time: 5}, Sample{Time: 9, Loop: 5})
	}
	_, err = Fit(same)
	assert.ErrorIs(t, err, ErrTooFew)
	for _, s := range []Sample{{Time: 0}, {Time: math.NaN()}, {Time: 1, Loop: -1}, {Time: 1, Bytes: -1},
		{Time: 1, Kind: 7}, {Time: 1, Loop: math.Inf(1)}} {
		_, err = Fit([]Sample{{Time: 1}, s})
		assert.ErrorContains(t, err, "fit: sample 1: ")
	}
}

func TestReadCSV(t *testing.T) {
	samples, err := ReadCSV(
		strings.NewReader("kind,k_bytes,w_ns,t_ns\n\n# a comment\nrtt,8,0,1.5e3\n send , 16 , 5 , 7\n"), "x.csv")
	require.NoError(t, err)
	assert.Equal(t, []Sample{{RoundTrip, 8, 0, 1500}, {Send, 16, 5, 7}}, samples)
	for text, want := range map[string]string{
		"rtt,1,0,1\nrtt,1,0":     "fit: x.csv:2: 3 fields, want 4; a line reads kind,k_bytes,w_ns,t_ns",
		"ping,1,0,1":             `x.csv:1: kind "ping"`,
		"rtt,1.5,0,1":            `bytes "1.5"`,
		"rtt,1,x,1":              `time "x"`,
		"rtt,1,0,-1":             "want more than 0 ns",
		"rtt,1,NaN,1":            "loop NaN",
		strings.Repeat("x", 1e5): "read: ",
	} {
		_, err := ReadCSV(strings.NewReader(text), "x.csv")
		assert.ErrorContains(t, err, want)
	}
}

func FuzzFit(f *testing.F) {
	f.Add("rtt,0,0,10\nrtt,8,0,11\nrtt,16,0,12\nrtt,32,0,13\n" +
		"rtt,0,99,110\nrtt,8,99,111\nrtt,16,99,112\nrtt,32,99,113\nsend,8,0,4")
	f.Add("send,1,0,1\n#\nrtt,1,1e308,1e308")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4000 {
			return
		}
		samples, err := ReadCSV(strings.NewReader(text), "x.csv")
		if err != nil {
			return
		}
		r, err := Fit(samples)
		if err != nil {
			return
		}
		require.NoError(t, r.Params.Validate(), "%v", r)
	})
}
