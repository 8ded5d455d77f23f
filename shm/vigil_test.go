package shm

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// watch is a vigil whose looks take a microsecond each.
func watch() (v *Vigil, now *time.Duration) {
	now = new(time.Duration)
	return &Vigil{clock: func() time.Duration { return *now }}, now
}

func TestVigilEndsByTimeOrSuccess(t *testing.T) {
	v, now := watch()
	looks := 0
	require.False(t, v.Look(func() bool { looks++; *now += time.Microsecond; return false }))
	require.InDelta(t, vigilTime/time.Microsecond, looks, looksPerReading+1)
	looks = 0
	require.True(t, v.Look(func() bool { looks++; *now += time.Microsecond; return looks == 700 }))
	require.Equal(t, 700, looks)
	require.False(t, (*Vigil)(nil).Look(func() bool { panic("asked") }))
}

// A thread that is disturbed sleeps, and keeps no vigil for a while, which grows.
func TestVigilDisturbed(t *testing.T) {
	v, now := watch()
	for _, rest := range []time.Duration{leastRest, 4 * leastRest, 16 * leastRest, mostRest, mostRest} {
		looks := 0
		require.False(t, v.Look(func() bool { looks++; *now += 2 * disturbance / looksPerReading; return false }))
		require.Equal(t, looksPerReading+1, looks)
		require.Equal(t, rest, v.rest)
		*now += rest - 1
		require.False(t, v.Look(func() bool { panic("asked in a rest") }))
		*now += 1
	}
	require.True(t, v.Look(func() bool { return true }))
	require.Equal(t, mostRest/2, v.rest)
}

// Work is no disturbance.
func TestVigilWorked(t *testing.T) {
	v, now := watch()
	looks := 0
	require.True(t, v.Look(func() bool { looks++; *now += 2 * disturbance; v.Worked(); return looks == 20 }))
}
