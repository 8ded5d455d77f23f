package shm

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/sys"
)

// watched is a thread whose clock and CPU a test has.
type watched struct {
	now  time.Duration
	said sys.RunDelay
}

func (w *watched) vigil() *Vigil {
	v := newVigil(func() time.Duration { return w.now }, func() sys.RunDelay { return w.said })
	v.alone = func() bool { return true }
	return v
}

func TestVigilEndsByTimeOrSuccess(t *testing.T) {
	var w watched
	v, looks := w.vigil(), 0
	require.False(t, v.Look(func() bool { looks++; w.now += time.Microsecond; return false }))
	require.InDelta(t, vigilTime/time.Microsecond, looks, looksPerReading+1)
	looks = 0
	require.True(t, v.Look(func() bool { looks++; w.now += time.Microsecond; return looks == 700 }))
	require.Equal(t, 700, looks)
	v.alone = func() bool { return false } // the others have the CPU
	require.False(t, v.Look(func() bool { panic("asked") }))
	require.False(t, v.resting())
}

// requireRest requires that the thread rests for so long, and then looks again.
func requireRest(t *testing.T, w *watched, v *Vigil, rest time.Duration) {
	t.Helper()
	require.Zero(t, v.Looks(7))
	w.now += rest - 1
	require.True(t, v.resting())
	w.now++
	require.False(t, v.resting())
	require.Equal(t, 7, v.Looks(7))
}

// A thread that loses its CPU in a vigil sleeps, and rests in proportion.
func TestVigilDisturbed(t *testing.T) {
	for _, lost := range []time.Duration{2 * disturbance, 4 * time.Millisecond, time.Second} {
		var w watched
		v, looks := w.vigil(), 0
		require.False(t, v.Look(func() bool {
			if looks++; looks == 1 {
				w.now += lost
			}
			return false
		}))
		require.Equal(t, looksPerReading+1, looks)
		requireRest(t, &w, v, min(restPerLoss*lost, longestRest))
	}
}

// What was lost between vigils counts, too: in waits that were short, or while the program computed.
func TestVigilLostBefore(t *testing.T) {
	var w watched
	v := w.vigil()
	w.now += askEvery
	w.said.Waited += 3 * time.Millisecond
	require.True(t, v.resting())
	requireRest(t, &w, v, restPerLoss*3*time.Millisecond)
	for _, harmless := range []sys.RunDelay{
		{Waited: leastLoss - 1},               // an idle CPU was woken, a few times
		{Waited: 10 * time.Second, Thread: 1}, // that of another thread
	} {
		w.now += askEvery
		w.said.Waited, w.said.Thread = w.said.Waited+harmless.Waited, w.said.Thread+harmless.Thread
		require.False(t, v.resting())
	}
	w.now += time.Second // the program has computed for long
	w.said.Waited += time.Second/lossShare - 1
	require.False(t, v.resting())
}

// The kernel is not asked at each vigil.
func TestVigilAsksSeldom(t *testing.T) {
	var w watched
	v := w.vigil()
	v.delay = func() sys.RunDelay { panic("asked") }
	w.now += askEvery - 1
	require.False(t, v.resting())
}

// A job that is started on a busy machine rests at once.
func TestVigilBusyAtStart(t *testing.T) {
	w := watched{said: sys.RunDelay{Ran: 2 * time.Millisecond, Waited: 30 * time.Millisecond}}
	requireRest(t, &w, w.vigil(), restPerLoss*30*time.Millisecond)
	w = watched{said: sys.RunDelay{Ran: 2 * time.Millisecond, Waited: 2 * leastLoss}}
	require.Equal(t, 7, w.vigil().Looks(7))
}

// Work is no disturbance.
func TestVigilWorked(t *testing.T) {
	var w watched
	v, looks := w.vigil(), 0
	require.True(t, v.Look(func() bool { looks++; w.now += 2 * disturbance; v.Worked(); return looks == 20 }))
	require.Equal(t, 7, (*Vigil)(nil).Looks(7))
}
