package model

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/loggps/pattern"
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/sim"
)

// TestLogGP: both forms of LogGP take what LogGPS does for a short message alone. The first never waits for a receiver,
// and its overheads grow with the message. The second waits beyond S, and a short message costs its sender o.
func TestLogGP(t *testing.T) {
	l, err := loggps.Preset("myrinet")
	require.NoError(t, err)
	p := l.Params
	fitted := p
	fitted.Residual = &loggps.Residual{Sync: p.Sync, Points: []loggps.ResidualPoint{{Bytes: 0, Send: 7, Recv: 5},
		{Bytes: 1000, Send: -100, Transit: 900, Recv: 300}, {Bytes: p.Sync + 1, Send: 1e6}}}
	for _, p := range []loggps.Params{p, fitted} {
		one, two := loggp1(p), loggp2(p)
		for _, k := range []int64{0, 100, p.Packet, p.Sync} {
			require.Equal(t, p.CommTime(k, 0), one.CommTime(k, 0))
			require.Equal(t, p.SendTime(k, 0), one.SendTime(k, 0))
			require.InDelta(t, p.CommTime(k, 0), two.CommTime(k, 0), 1e-6)
			require.Equal(t, p.O, two.SendTime(k, 0))
		}
	}
	require.EqualValues(t, 7, fitted.Residual.Points[0].Send, "as it was")
	one, two := loggp1(p), loggp2(p)
	const late = 1e9
	require.Less(t, one.SendTime(10*p.Sync, late), 1e7)
	for _, q := range []loggps.Params{p, two} {
		require.Greater(t, q.SendTime(10*p.Sync, late), late)
	}
	require.Equal(t, two.SendTime(10*p.Sync, 0), two.SendTime(20*p.Sync, 0))
}

// TestLogGPOfSeveral: in LogGP the bytes that a rank sends have their gap, also if each message goes to another rank.
func TestLogGPOfSeveral(t *testing.T) {
	const n, k = 7, 8000
	g, err := pattern.Program(n+1, func(m pattern.Member) {
		if m.Rank > 0 {
			m.Recv(k, 0)
			return
		}
		for to := range n {
			m.Send(k, to+1)
		}
	})
	require.NoError(t, err)
	f := SimFlags{Model: "loggp1", Param: "myrinet", Compute: 1}
	opt, err := f.Options()
	require.NoError(t, err)
	r, err := sim.Run(g, opt)
	require.NoError(t, err)
	l, err := loggps.Preset("myrinet")
	require.NoError(t, err)
	p := l.Params
	require.InDelta(t, 2*p.O+p.L+n*k*p.Gs+k*(p.Oss+p.Ors), r.Time(), 1e-3)
}
