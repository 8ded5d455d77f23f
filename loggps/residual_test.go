package loggps

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestResidual: what is added stands on a line between points, but not across S.
func TestResidual(t *testing.T) {
	p := myrinet(t)
	plain := p
	p.Residual = &Residual{Control: 10 - p.O, Latency: 20 - p.L, Call: 30 - p.O, Sync: p.Sync, Points: []ResidualPoint{
		{Bytes: 0, Send: 10, Transit: 20, Recv: 30}, {Bytes: 1000, Send: 20, Transit: 0, Recv: -30},
		{Bytes: p.Sync + 1, Send: 7}, {Bytes: 1 << 20, Send: 8},
	}}
	require.NoError(t, p.Validate())
	for _, c := range []struct{ k, send, transit, recv float64 }{{0, 10, 20, 30}, {500, 15, 10, 0}, {1000, 20, 0, -30},
		{float64(p.Sync), 20, 0, -30}} {
		assert.InDelta(t, plain.T1(c.k)+c.send, p.T1(c.k), 1e-9)
		assert.InDelta(t, plain.Transit(int64(c.k))+c.transit, p.Transit(int64(c.k)), 1e-9)
		assert.InDelta(t, plain.T3(c.k)+c.recv, p.T3(c.k), 1e-9)
	}
	assert.InDelta(t, plain.T1Long(20000)+7, p.T1Long(20000), 0.01)
	assert.InDelta(t, plain.T1Long(1<<21)+8, p.T1Long(1<<21), 1e-6, "the last point counts beyond it")
	assert.InDelta(t, 10+20+10, p.T4(0), 1e-9)
	assert.InDelta(t, 10+20+10, p.T5(), 1e-9)
	assert.InDelta(t, 30, p.IsendTime(), 1e-9)
	assert.Equal(t, TermsOf(plain, func(q Params) float64 { return q.CommTime(20000, 0) }),
		TermsOf(p, func(q Params) float64 { return q.CommTime(20000, 0) }), "derivatives stay what they are")

	var file bytes.Buffer
	require.NoError(t, Single(p).Write(&file))
	m, err := Read(&file)
	require.NoError(t, err)
	assert.Equal(t, p, m.Links[0].Params)

	for _, bad := range []Residual{
		{Points: []ResidualPoint{{Bytes: 5}, {Bytes: 5}}}, {Points: []ResidualPoint{{Bytes: -1}}},
		{Points: []ResidualPoint{{Send: math.NaN()}}}, {Control: math.Inf(1)}, {Call: math.NaN()}, {Sync: -1},
	} {
		p.Residual = &bad
		assert.ErrorContains(t, p.Validate(), "residual")
	}
}

// TestRecordingIsChecked: recording takes neither less than no time nor more than can be subtracted.
func TestRecordingIsChecked(t *testing.T) {
	m := Single(Params{L: 1})
	for _, ns := range []float64{-1, math.NaN(), math.Inf(1), 1e300} {
		m.Recording = map[string]float64{"send recv": ns}
		require.ErrorContains(t, m.Validate(), "send recv")
	}
	m.Recording["send recv"] = 0
	require.NoError(t, m.Validate())
}
