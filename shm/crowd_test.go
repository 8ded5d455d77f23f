package shm

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// crowdClock is a clock for tests, and the thread that looks.
type crowdClock struct {
	*Crowd
	now time.Duration
}

func newCrowdClock() *crowdClock {
	k := &crowdClock{now: time.Hour}
	k.Crowd = newCrowd(func() time.Duration { return k.now })
	return k
}

// poll is a wait of one look of a microsecond, and of up to n more. It tells how many it could make.
func (k *crowdClock) poll(n int) (made int) {
	Look(k.Looks(n), func() bool {
		made++
		k.now += time.Microsecond
		return !k.GoOn()
	})
	return made
}

// disturb takes the CPU away from a wait that polls, for so long, and returns how long it rests.
func (k *crowdClock) disturb(t *testing.T, d time.Duration) time.Duration {
	t.Helper()
	require.Equal(t, looksPerClock, k.Looks(looksPerClock))
	require.True(t, k.GoOn())
	k.now += d
	for range looksPerClock - 1 {
		require.True(t, k.GoOn())
	}
	require.False(t, k.GoOn())
	return k.untilPolls()
}

// untilPolls waits until the thread may poll, and returns how long that takes.
func (k *crowdClock) untilPolls() time.Duration {
	begin := k.now
	for k.Resting() {
		k.now += time.Microsecond
	}
	return k.now - begin
}

func TestCrowdLeavesAlonePollsAlone(t *testing.T) {
	k := newCrowdClock()
	for range 1000 {
		require.Equal(t, 2001, k.poll(2000))
		k.now += time.Second // between waits the rank computes
	}
	require.False(t, k.Resting())
}

func TestCrowdRestsWhenDisturbed(t *testing.T) {
	k := newCrowdClock()
	require.Equal(t, leastRest, k.disturb(t, time.Millisecond))
	require.Equal(t, 2001, k.poll(2000), "the rest is over")

	k = newCrowdClock()
	k.Looks(2000)
	for range 2 * looksPerClock {
		k.now += 2 * disturbance / looksPerClock
		k.GoOn()
	}
	require.True(t, k.Resting())
	require.Equal(t, 1, k.poll(2000), "it sleeps at once")
	k.now += leastRest/2 - time.Microsecond
	require.Zero(t, k.Looks(2000))
	k.now += leastRest / 2
	require.Equal(t, 2000, k.Looks(2000))
}

// Waits in a rest sleep after their only look. That is no disturbance, and the rest ends.
func TestCrowdRestEnds(t *testing.T) {
	k := newCrowdClock()
	k.Looks(2000)
	k.GoOn()
	for range looksPerClock {
		k.now += disturbance
		k.GoOn()
	}
	waits, begin := 0, k.now
	for ; k.Resting(); waits++ {
		require.Equal(t, 1, k.poll(2000))
		k.now += 40 * time.Microsecond // it sleeps
		require.LessOrEqual(t, k.now-begin, leastRest+41*time.Microsecond)
	}
	require.Greater(t, waits, 2*looksPerClock)
	require.Equal(t, 2001, k.poll(2000))
}

// One disturbance costs little, also if many came before at times far apart.
func TestCrowdForgets(t *testing.T) {
	k := newCrowdClock()
	for range 100 {
		require.Equal(t, leastRest, k.disturb(t, disturbance+time.Microsecond))
		require.Equal(t, 20_001, k.poll(20_000))
	}
}

func TestCrowdRestsLongerEachTimeAndBounded(t *testing.T) {
	k := newCrowdClock()
	want := leastRest
	for range 20 {
		require.Equal(t, want, k.disturb(t, time.Millisecond))
		want = min(2*want, mostRest)
	}
	require.Equal(t, mostRest, want)

	// Alone again: the rest halves each time that it has polled for long enough.
	for want > leastRest {
		k.poll(int(quietTime/time.Microsecond) + 2*looksPerClock)
		want /= 2
		require.Equal(t, want, k.rest)
	}
	k.poll(int(quietTime / time.Microsecond * 2))
	require.Equal(t, leastRest, k.rest)
}

// Looks that find work may take long.
func TestCrowdWorks(t *testing.T) {
	k := newCrowdClock()
	k.Looks(1000)
	for i := range 1000 {
		if i%3 == 0 {
			k.now += time.Millisecond
			k.Worked()
		}
		require.True(t, k.GoOn())
	}
	require.False(t, k.Resting())
}

func TestNoCrowd(t *testing.T) {
	var c *Crowd
	require.Equal(t, 7, c.Looks(7))
	require.True(t, c.GoOn())
	c.Worked()
	require.False(t, c.Resting())
}
