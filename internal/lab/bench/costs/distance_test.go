package costs

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/loggps/fit"
)

// The distance that is used is that of most jobs, and the others are told apart from it.
func TestDistances(t *testing.T) {
	for _, c := range []struct {
		seen      []float64
		used      float64
		elsewhere int
	}{
		{[]float64{100}, 100, 0},
		{[]float64{540, 120, 45, 130, 560, 125, 126}, 125.5, 3},
		{[]float64{540, 120, 560, 130, 550, 45, 44}, 550, 4},
	} {
		d := Distances{Used: commonest(c.seen), Seen: c.seen}
		require.InDelta(t, c.used, d.Used, 1e-9, "%v", c.seen)
		require.Equal(t, c.elsewhere, d.Elsewhere(), "%v", c.seen)
	}
}

// Samples at another distance do not count, unless they are most.
func TestSamplesAtADistance(t *testing.T) {
	var r tripRank
	r.take(true, fit.Sample{Bytes: 1})
	r.take(false, fit.Sample{Bytes: 2})
	require.Equal(t, []fit.Sample{{Bytes: 1}}, r.enough())
	r.take(false, fit.Sample{Bytes: 3})
	require.Len(t, r.enough(), 3)
}

// A job that begins elsewhere ends at once, and another one is started. When patience is over one is measured
// wherever it is.
func TestElsewhere(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("one CPU has no distance")
	}
	who := runner.Contestant{Name: "sm"} // the test binary has a fixed address
	d, err := FindDistances(t.Context(), who, 0)
	require.NoError(t, err)
	require.Positive(t, d.Used)
	require.Len(t, d.Seen, leastLooks, "the time is over")
	d, err = FindDistances(t.Context(), who, time.Hour)
	require.NoError(t, err)
	require.Len(t, d.Seen, looks)

	const never = "1e9"
	args := []string{"roundtrip", "0,8,64,100", "3", "warm", "1", "0.01"}
	out, err := who.RunOurs(t.Context(), 2, append(args, never), nil)
	require.NoError(t, err)
	require.Equal(t, elsewhereLine, string(out))
	out, err = who.RunOurs(t.Context(), 2, []string{"operations", "barrier=flat", "64", "0.01", never}, nil)
	require.NoError(t, err)
	require.Equal(t, elsewhereLine, string(out))

	jobs := 0
	out, err = runAt(t.Context(), who, 1e9, 2, args, 0, func(*launcher.Job) { jobs++ })
	require.NoError(t, err)
	require.Equal(t, 2, jobs)
	trips, err := parseRoundTrips(out)
	require.NoError(t, err)
	require.NotEmpty(t, trips.Samples)
	require.NotContains(t, string(out), strings.TrimSpace(elsewhereLine))

	jobs = 0
	patient, end := context.WithCancel(t.Context())
	_, err = runAt(patient, who, 1e9, 2, args, time.Hour, func(*launcher.Job) {
		if jobs++; jobs == 3 {
			end()
		}
	})
	require.Error(t, err)
	require.Equal(t, 3, jobs)

	all, err := RoundTrip(t.Context(), who,
		RoundTripConfig{Sizes: []int64{0, 8, 64, 100}, Times: 3, Limit: time.Millisecond, Distance: d.Used})
	require.NoError(t, err)
	require.NotEmpty(t, all.Samples)
}
