package fit

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/loggps"
)

// bent is a machine that no lines describe: short messages go inline, control messages cost next to
// nothing, and long messages leave the cache.
func bent(t *testing.T) loggps.Params {
	l, err := loggps.Preset("myrinet")
	require.NoError(t, err)
	p := l.Params
	p.Residual = &loggps.Residual{
		Control: 500 - p.O, Latency: 300 - p.L, Call: 200 - p.O, Sync: p.Sync,
		Points: []loggps.ResidualPoint{
			{Bytes: 0, Send: -3000, Recv: -2000}, {Bytes: 80, Send: -3000, Recv: -2000}, {Bytes: 96},
			{Bytes: 20480, Send: 9000, Crossing: 5000}, {Bytes: 65536, Crossing: 8000, Send: 100000, Recv: 70000},
		},
	}
	return p
}

// TestResidual: where lines leave much over, the residual makes up for it, for sizes that were
// measured and others.
func TestResidual(t *testing.T) {
	truth := bent(t)
	var samples []Sample
	for _, k := range Sizes(1 << 16) {
		w := 1.25 * truth.RoundTrip(k, 0)
		samples = append(samples, Sample{RoundTrip, k, 0, truth.RoundTrip(k, 0)},
			Sample{RoundTrip, k, w, truth.RoundTrip(k, w)},
			Sample{Send, k, 0, truth.SendTime(k, 0)},
			Sample{Exchange, k, 0, truth.Call() + truth.RoundTrip(k, 0)/2 + truth.Crossing(k)})
	}
	r, err := FitSync(samples, truth.Sync)
	require.NoError(t, err)
	p := r.Params
	p.Residual = r.Residual(samples)
	require.NoError(t, p.Validate())
	assert.InDelta(t, 200, p.Call(), 1e-6)
	for _, k := range append(Sizes(1<<16), 10, 700, 3000, 30000, 50001) {
		assert.InEpsilon(t, truth.RoundTrip(k, 0), p.RoundTrip(k, 0), 1e-3, "%d bytes", k)
		assert.InEpsilon(t, truth.SendTime(k, 0), p.SendTime(k, 0), 1e-3, "%d bytes", k)
		assert.InDelta(t, truth.Crossing(k), p.Crossing(k), 1e-3*truth.RoundTrip(k, 0), "%d bytes", k)
	}
	for _, k := range []int64{0, 64, 1024, 8192, 40960} {
		assert.InEpsilon(t, truth.RecvTime(k, 1e9), p.RecvTime(k, 1e9), 0.05,
			"%d bytes, of which the receiver comes late", k)
	}
	r.Params.Sync = 0
	assert.Nil(t, r.Residual(nil), "nothing was measured")
}

// TestResidualIsNoNonsense: no part of a message takes less than nothing, whatever was measured.
func TestResidualIsNoNonsense(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 8 {
		var samples []Sample
		for _, k := range Sizes(1 << 14) {
			for range 3 {
				w := 1000 * rng.Float64()
				samples = append(samples, Sample{RoundTrip, k, 0, 1 + 1000*rng.Float64()},
					Sample{RoundTrip, k, 1 + w, 1 + w + 900*rng.Float64()},
					Sample{Send, k, 0, 1 + 2000*rng.Float64()})
			}
		}
		r, err := FitSync(samples, 4096)
		if err != nil {
			continue // nonsense for the lines too
		}
		p := r.Params
		p.Residual = r.Residual(samples)
		require.NoError(t, p.Validate())
		for _, k := range Sizes(1 << 14) {
			assert.GreaterOrEqual(t, p.Transit(k), -1e-6)
			if b := float64(k); p.Eager(k) {
				assert.GreaterOrEqual(t, min(p.T1(b), p.T3(b)), -1e-6)
			} else {
				assert.GreaterOrEqual(t, min(p.T1Long(b), p.T3Long(b)), -1e-6)
			}
		}
	}
}
