package wait

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/shm"
)

func TestPace(t *testing.T) {
	var p Pace
	p.Set(1000, nil)
	require.False(t, p.Crowded() || p.Shares() || p.Yields())
	require.Equal(t, 1000, p.Looks(false))
	require.Equal(t, 1000, p.Looks(true))
	require.True(t, p.GoOn(false))

	p.Set(1000, shm.NewCrowd(true))
	require.True(t, p.Crowded() && p.Shares() && p.Yields())
	require.Equal(t, 1000, p.Looks(false))
	require.Equal(t, conditionLooks, p.Looks(true), "another rank of the node may use the network for all")

	p.Set(0, nil)
	require.True(t, p.Yields(), "more ranks than CPUs")
}

// A vigil is for ranks that have a CPU, and look for long.
func TestVigil(t *testing.T) {
	for _, test := range []struct {
		looks int
		crowd *shm.Crowd
		keeps bool
	}{{job.DefaultSpin, nil, true}, {job.DefaultSpin - 1, nil, false}, {job.DefaultSpin, shm.NewCrowd(false), false}} {
		var p Pace
		p.Set(test.looks, test.crowd)
		p.KeepVigil()
		require.Equal(t, test.keeps, p.KeepsVigil(), test)
	}
}
