package shm

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// crowdClock is a clock for tests, the thread that looks, and the others on its CPU.
type crowdClock struct {
	*Crowd
	now    time.Duration
	others time.Duration // how long others run when the thread gives way
	given  int           // how often it has
}

func newCrowdClock() *crowdClock { return newCrowdClockOf(false) }

func newCrowdClockOf(many bool) *crowdClock {
	k := &crowdClock{now: time.Hour}
	k.Crowd = newCrowd(func() time.Duration { return k.now }, func() {
		k.now += k.others
		k.given++
	}, many)
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

// preempt takes the CPU away from a wait that polls, for so long.
func (k *crowdClock) preempt(t *testing.T, d time.Duration) {
	t.Helper()
	require.Equal(t, 2*looksPerClock, k.Looks(2*looksPerClock))
	k.GoOn()
	k.now += d
	for range looksPerClock {
		require.True(t, k.GoOn())
	}
}

// compute has another thread keep the CPU from one that gives way, and returns how long it rests.
func (k *crowdClock) compute(t *testing.T) time.Duration {
	t.Helper()
	k.others = 3 * time.Millisecond
	require.Equal(t, k.patience(), k.poll(2000))
	k.others = 0
	begin := k.now
	for k.Resting() {
		k.now += time.Microsecond
	}
	return k.now - begin
}

// crowdForgets: the rest halves, too, while a thread polls that does not give way.
func (k *crowdClock) crowdForgets(t *testing.T) {
	t.Helper()
	k.poll(int(10 * quietTime / time.Microsecond))
	require.False(t, k.yields.Load())
	require.Equal(t, leastRest, k.rest)
}

func TestCrowdLeavesAlonePollsAlone(t *testing.T) {
	k := newCrowdClock()
	for range 1000 {
		require.Equal(t, 2001, k.poll(2000))
		k.now += time.Second // between waits the rank computes
	}
	require.Zero(t, k.given)
	require.False(t, k.Resting())
}

// A thread that was preempted gives way to others that poll, and goes on until it is alone for a while.
func TestCrowdGivesWay(t *testing.T) {
	k := newCrowdClock()
	k.preempt(t, disturbance)
	require.Zero(t, k.given, "no longer than looks may take")
	k.preempt(t, disturbance+time.Microsecond)
	require.Zero(t, k.given)
	k.others = turn - time.Microsecond
	require.Equal(t, 1001, k.poll(1000))
	require.Equal(t, 1001, k.given)
	k.others = passing
	require.Equal(t, 100_001, k.poll(100_000))
	k.others = 0
	k.given = 0
	require.Equal(t, 100_001, k.poll(100_000))
	require.LessOrEqual(t, k.given, int(2*quietTime/time.Microsecond)+2, "at most until two windows have ended")
	require.GreaterOrEqual(t, k.given, int(quietTime/time.Microsecond))
}

func TestCrowdRestsIfOthersCompute(t *testing.T) {
	k := newCrowdClock()
	k.preempt(t, time.Millisecond)
	require.Equal(t, leastRest, k.compute(t))
	require.Equal(t, 2001, k.poll(2000), "the rest is over")
}

// Waits in a rest sleep after their only look, and do not give way before. The rest ends.
func TestCrowdRestEnds(t *testing.T) {
	k := newCrowdClock()
	k.preempt(t, time.Millisecond)
	k.others = 2 * turn
	require.Equal(t, k.patience(), k.poll(2000))
	waits, begin, given := 0, k.now, k.given
	for ; k.Resting(); waits++ {
		require.Equal(t, 1, k.poll(2000))
		k.now += 40 * time.Microsecond // it sleeps
		require.LessOrEqual(t, k.now-begin, leastRest+41*time.Microsecond)
	}
	require.Greater(t, waits, 100)
	require.Equal(t, given, k.given)
	k.others = 0
	require.Equal(t, 2001, k.poll(2000))
}

func TestCrowdRestsLongerEachTimeAndBounded(t *testing.T) {
	k := newCrowdClock()
	k.preempt(t, time.Millisecond)
	want := leastRest
	for range 10 {
		require.Equal(t, want, k.compute(t))
		want = min(4*want, mostRest)
	}
	require.Equal(t, mostRest, want)

	k.crowdForgets(t)
	want = mostRest
	k.preempt(t, time.Millisecond)
	k.rest, k.calm = want, 0

	// Others poll: the rest halves each time that the thread has polled for long enough.
	k.others = 2 * passing
	for want > leastRest {
		k.poll(int(quietTime/(2*passing+time.Microsecond)) + 1)
		want /= 2
		require.Equal(t, want, k.rest)
	}
	k.poll(100_000)
	require.Equal(t, leastRest, k.rest)
}

// Several others that have work at a time may keep the CPU for long now and then.
func TestCrowdSeldomLongTurns(t *testing.T) {
	k := newCrowdClock()
	k.preempt(t, time.Millisecond)
	for range 100 {
		k.others = 3 * turn
		require.Equal(t, k.patience()-1, k.poll(k.patience()-2))
		k.others = passing
		require.Equal(t, 2, k.poll(1))
	}
	require.False(t, k.Resting())
}

// More threads than CPUs give way from the start and always, and rest as others do.
func TestManyGiveWay(t *testing.T) {
	k := newCrowdClockOf(true)
	require.True(t, k.Shares())
	require.Equal(t, 100_001, k.poll(100_000))
	require.Equal(t, 100_001, k.given)
	require.Equal(t, leastRest, k.compute(t))
	require.True(t, k.Shares())

	one := newCrowdClock()
	require.False(t, one.Shares())
	one.preempt(t, time.Millisecond)
	require.True(t, one.Shares())
}

// Looks that find work may take long.
func TestCrowdWorks(t *testing.T) {
	for _, preempted := range []bool{false, true} {
		k := newCrowdClock()
		if preempted {
			k.preempt(t, time.Millisecond)
		}
		k.Looks(1000)
		for i := range 1000 {
			if i%3 == 0 {
				k.now += 2 * turn
				k.Worked()
			}
			require.True(t, k.GoOn())
		}
		require.False(t, k.Resting())
	}
}

func TestNoCrowd(t *testing.T) {
	var c *Crowd
	require.Equal(t, 7, c.Looks(7))
	require.True(t, c.GoOn())
	c.Worked()
	require.False(t, c.Resting())
	require.False(t, c.Shares())
	require.False(t, c.GivesWay())
}

// GivesWay is false in a rest: then the others would keep the CPU.
func TestCrowdGivesNoWayInARest(t *testing.T) {
	k := newCrowdClockOf(true)
	require.True(t, k.GivesWay())
	k.others = 2 * turn
	k.poll(2000)
	require.True(t, k.Resting())
	require.True(t, k.Shares())
	require.False(t, k.GivesWay())
	k.now += leastRest
	require.True(t, k.GivesWay())
}
