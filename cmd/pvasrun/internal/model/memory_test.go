package model

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/loggps/pattern"
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/sim"
)

// TestLargeProgramsKeepNothing: a program whose page is not drawn keeps neither its trace nor its pieces when it is
// simulated. It keeps nothing of what the simulation does. The reasons are the same.
func TestLargeProgramsKeepNothing(t *testing.T) {
	g, err := pattern.Program(2, func(m pattern.Member) { m.PingPong(8, 50) })
	require.NoError(t, err)
	opt := sim.Options{Machine: loggps.Single(plain), Compute: 1}
	r, err := sim.Run(g, opt)
	require.NoError(t, err)
	shown := func(most int) (*Program, []string) {
		p := &Program{file: "x", trace: recordOf(r)}
		drawn := p.measure(&opt, most)
		require.Equal(t, most > 1000, drawn)
		require.NoError(t, p.build(&opt.Machine))
		require.Nil(t, p.trace)
		page, err := p.shown(opt, false, drawn)
		require.NoError(t, err)
		require.Equal(t, drawn, len(page.Timelines) > 0)
		return p, page.Facts
	}
	large, said := shown(3)
	require.Nil(t, large.measured.run.Ranks)
	require.Nil(t, large.measured.messages)
	small, same := shown(math.MaxInt)
	require.NotEmpty(t, small.measured.run.Ranks)
	require.NotEmpty(t, small.measured.messages)
	require.Equal(t, same, said)
}
