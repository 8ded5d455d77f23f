package shm

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// fake is a rank whose clock and CPU a test has.
type fake struct {
	*Waiter
	now    time.Duration
	others time.Duration // how long others run when the rank yields
	given  int           // how often it has
	said   sys.RunDelay
}

// newFake returns a rank that has a contention.
func newFake(w *Waiter) *fake {
	k := &fake{Waiter: w, now: time.Hour}
	c := w.contention
	c.clock = func() time.Duration { return k.now }
	c.yield = func() { k.now += k.others; k.given++ }
	c.alone = func() bool { return true }
	return k
}

// onNetwork is a rank that parks at a network.
func onNetwork(ranks int) *fake {
	w := NewWaiter(Policy{Spins: 1 << 20, Ranks: ranks, CPUs: 1})
	w.ParkIn(parkAtEvent)
	return newFake(w)
}

// alone is a rank that has a CPU for itself, of which the kernel says something at the start.
func alone(said sys.RunDelay) *fake {
	w := NewWaiter(Policy{Spins: 32000, Ranks: 1, CPUs: 1})
	w.watch()
	k := newFake(w)
	k.said = said
	w.contention.delay = func() sys.RunDelay { return k.said }
	w.lostAtStart()
	return k
}

// poll is a wait of one look of a microsecond, and of up to n more. It tells how many it could make.
func (k *fake) poll(n int) (made int) {
	for range min(n, k.Begin(false)) + 1 {
		made++
		if k.now += time.Microsecond; !k.GoOn(false) {
			break
		}
	}
	return made
}

// preempt takes the CPU away from a wait that polls, for so long.
func (k *fake) preempt(t *testing.T, d time.Duration) {
	t.Helper()
	k.Begin(false)
	k.GoOn(false)
	k.now += d
	for range looksPerClock {
		require.True(t, k.GoOn(false))
	}
}

// compute has another thread keep the CPU from one that yields, and returns how long it rests.
func (k *fake) compute(t *testing.T) time.Duration {
	t.Helper()
	k.others = 3 * time.Millisecond
	require.Equal(t, perCPU, k.poll(2000))
	k.others = 0
	begin := k.now
	for k.resting() {
		k.now += time.Microsecond
	}
	return k.now - begin
}

// The policy says how often ranks look and yield: those with a CPU for themselves, a few more than CPUs, many more,
// those that are to park at once, and any with a network.
func TestPolicy(t *testing.T) {
	for _, test := range []struct {
		policy               Policy
		network              bool
		spins, yields, polls int
		messages, conditions int
	}{
		{Policy{Spins: 1000, Ranks: 2, CPUs: 2}, false, 1000, 0, 1000, 1000, 1000},
		{Policy{Spins: 1000, Ranks: 8, CPUs: 2}, false, 0, perCPU, SharedLooks, SharedLooks, SharedLooks},
		{Policy{Spins: 10, Ranks: 8, CPUs: 2}, false, 0, perCPU, 10, 10, 10},
		{Policy{Spins: 1000, Ranks: 9, CPUs: 2}, false, 0, perCPU, 0, perCPU, perCPU},
		{Policy{Spins: 0, Ranks: 2, CPUs: 2}, false, 0, perCPU, 0, perCPU, perCPU},
		{Policy{Spins: 1000, Ranks: 2, CPUs: 2}, true, 1000, 0, 1000, 1000, SharedLooks},
		{Policy{Spins: 1000, Ranks: 9, CPUs: 2}, true, 0, perCPU, 1000, 1000, SharedLooks},
		{Policy{Spins: 0, Ranks: 2, CPUs: 2}, true, 0, 0, 0, 0, 0},
	} {
		w := NewWaiter(test.policy)
		if test.network {
			w.ParkIn(parkAtEvent)
		}
		require.Equal(t, test.spins, w.Spins(), test)
		require.Equal(t, test.yields, w.Yields(), test)
		require.Equal(t, test.polls, w.Polls(), test)
		require.Equal(t, test.messages, w.Begin(false), test)
		require.Equal(t, test.conditions, w.Begin(true), test)
		require.Equal(t, test.network || test.yields > 0, w.Watching(), test)
		looks := 0
		require.False(t, w.Look(func() bool { looks++; return false }))
		require.Equal(t, 1+test.spins+test.yields, looks, test)
		require.True(t, w.Look(func() bool { looks--; return looks == 0 }), test)
		require.False(t, w.resting())
		w.Yield()
		w.Worked()
		if w.Watching() {
			require.True(t, w.GoOn(false), test)
		}
	}
}

func TestAloneOnANetworkPollsAlone(t *testing.T) {
	k := onNetwork(1)
	for range 1000 {
		require.Equal(t, 2001, k.poll(2000))
		k.now += time.Second // between waits the rank computes
	}
	require.Zero(t, k.given)
	require.False(t, k.resting())
}

// A rank that was preempted yields to others that poll, and goes on until it is alone for a while.
func TestYieldsToOthers(t *testing.T) {
	k := onNetwork(1)
	k.preempt(t, disturbance)
	require.Zero(t, k.given, "no longer than looks may take")
	k.preempt(t, disturbance+time.Microsecond)
	require.Zero(t, k.given)
	require.Zero(t, k.Spins())
	k.others = turn - time.Microsecond
	require.Equal(t, 1001, k.poll(1000))
	require.Equal(t, 1001, k.given)
	k.others = passing
	require.Equal(t, 100_001, k.poll(100_000))
	k.others = 0
	k.given = 0
	require.Equal(t, 100_001, k.poll(100_000))
	require.LessOrEqual(t, k.given, int(2*quiet/time.Microsecond)+2, "at most until two windows have ended")
	require.GreaterOrEqual(t, k.given, int(quiet/time.Microsecond))
	require.Positive(t, k.Spins())
}

func TestRestsIfOthersCompute(t *testing.T) {
	k := onNetwork(1)
	k.preempt(t, time.Millisecond)
	require.Equal(t, leastRest, k.compute(t))
	require.Equal(t, 2001, k.poll(2000), "the rest is over")
}

// Waits in a rest park after their only look, and do not yield before. The rest ends.
func TestRestEnds(t *testing.T) {
	k := onNetwork(1)
	k.preempt(t, time.Millisecond)
	k.others = 2 * turn
	require.Equal(t, perCPU, k.poll(2000))
	waits, begin, given := 0, k.now, k.given
	for ; k.resting(); waits++ {
		require.Equal(t, 1, k.poll(2000))
		require.Zero(t, k.Spins())
		k.now += 40 * time.Microsecond // it sleeps
		require.LessOrEqual(t, k.now-begin, leastRest+41*time.Microsecond)
	}
	require.Greater(t, waits, 100)
	require.Equal(t, given, k.given)
	k.others = 0
	require.Equal(t, 2001, k.poll(2000))
}

func TestRestsLongerEachTimeAndBounded(t *testing.T) {
	k := onNetwork(1)
	k.preempt(t, time.Millisecond)
	want := leastRest
	for range 10 {
		require.Equal(t, want, k.compute(t))
		want = min(4*want, mostRest)
	}
	require.Equal(t, mostRest, want)

	// The rest halves, too, while a rank polls that does not yield.
	k.poll(int(20 * quiet / time.Microsecond))
	require.Positive(t, k.Spins())
	require.Equal(t, leastRest, k.contention.rest)
	k.preempt(t, time.Millisecond)
	k.contention.rest, k.contention.calm = mostRest, 0

	// Others poll: the rest halves each time that the rank has polled for long enough.
	k.others = 2 * passing
	for want = mostRest; want > leastRest; {
		k.poll(int(quiet/(2*passing+time.Microsecond)) + 1)
		want /= 2
		require.Equal(t, want, k.contention.rest)
	}
	k.poll(100_000)
	require.Equal(t, leastRest, k.contention.rest)
}

// Several others that have work at a time may keep the CPU for long now and then.
func TestSeldomLongTurns(t *testing.T) {
	k := onNetwork(1)
	k.preempt(t, time.Millisecond)
	for range 100 {
		k.others = 3 * turn
		require.Equal(t, perCPU-1, k.poll(perCPU-2))
		k.others = passing
		require.Equal(t, 2, k.poll(1))
	}
	require.False(t, k.resting())
}

// More ranks than CPUs yield from the start and always, and rest as others do. In a rest they do not yield elsewhere,
// either: the others would keep the CPU.
func TestManyYield(t *testing.T) {
	k := onNetwork(2)
	require.Equal(t, 100_001, k.poll(100_000))
	require.Equal(t, 100_001, k.given)
	require.Equal(t, leastRest, k.compute(t))
	require.Positive(t, k.Yields())
	k.others = 2 * turn
	k.poll(2000)
	require.True(t, k.resting())
	require.Zero(t, k.Spins())
	require.Zero(t, k.Yields())
	k.now += mostRest
	require.Positive(t, k.Yields())
}

// Looks that find work may take long.
func TestLooksThatWork(t *testing.T) {
	for _, preempted := range []bool{false, true} {
		for _, told := range []bool{false, true} {
			k := onNetwork(1)
			if preempted {
				k.preempt(t, time.Millisecond)
			}
			k.Begin(false)
			for i := range 1000 {
				worked := i%3 == 0
				if worked {
					k.now += 2 * turn
				}
				if worked && told {
					k.Worked()
				}
				require.True(t, k.GoOn(worked && !told))
			}
			require.False(t, k.resting())
		}
	}
}

// busyPoll polls with looks of a microsecond, of which the last ends the wait, and tells how many it has made.
func (k *fake) busyPoll(last int) (looks int) {
	k.BusyPoll(func() bool {
		looks++
		k.now += time.Microsecond
		return looks == last || k.Watching() && !k.GoOn(false)
	})
	return looks
}

func TestBusyPollEndsByTimeOrSuccess(t *testing.T) {
	k := alone(sys.RunDelay{})
	require.InDelta(t, quiet/time.Microsecond, k.busyPoll(0), looksPerClock+1)
	require.Equal(t, 700, k.busyPoll(700))
	require.False(t, k.Watching())
	k.contention.alone = func() bool { return false } // the others have the CPU
	require.Zero(t, k.busyPoll(0))
	require.False(t, k.resting())
	require.Equal(t, 32000, k.Begin(false))

	k = onNetwork(1)
	require.Zero(t, k.busyPoll(0))
}

// requireRest requires that the rank rests for so long, and then spins again.
func (k *fake) requireRest(t *testing.T, rest time.Duration) {
	t.Helper()
	require.True(t, k.resting())
	require.Equal(t, SharedLooks, k.Spins())
	require.Zero(t, k.Yields())
	require.Equal(t, SharedLooks, k.Polls())
	require.Equal(t, SharedLooks, k.Begin(false))
	k.now += rest - 1
	require.Equal(t, SharedLooks, k.Begin(false))
	require.Zero(t, k.busyPoll(0))
	k.now++
	require.NotZero(t, k.busyPoll(1), "also of a wait that does not begin")
	require.False(t, k.resting())
	for range 2 {
		require.Equal(t, 32000, k.Begin(false))
		require.Equal(t, 32000, k.Spins())
		require.Equal(t, 32000, k.Polls())
	}
}

// TestBusyPollEndsIfANetworkComes: the rank parks there, and tells that it waits.
func TestBusyPollEndsIfANetworkComes(t *testing.T) {
	for _, others := range []bool{false, true} {
		k := alone(sys.RunDelay{})
		looks := 0
		require.True(t, k.BusyPoll(func() bool {
			if looks++; looks == 3 {
				k.ParkIn(parkAtEvent)
				k.setShared(others)
			}
			require.Less(t, looks, 100)
			return k.Watching() && !k.GoOn(false)
		}))
		require.True(t, k.Watching(), "waits of a rank with a network call GoOn")
		require.False(t, k.BusyPoll(func() bool { panic("it parks") }))
	}
}

// A rank that loses its CPU in a busy poll parks, and rests in proportion.
func TestBusyPollDisturbed(t *testing.T) {
	for _, lost := range []time.Duration{2 * disturbance, 4 * time.Millisecond, time.Second} {
		k, looks := alone(sys.RunDelay{}), 0
		k.BusyPoll(func() bool {
			if looks++; looks == 2 {
				k.now += lost
			}
			return !k.GoOn(false)
		})
		require.Equal(t, looksPerClock+1, looks)
		k.requireRest(t, min(restPerLoss*lost, mostRest))
	}
}

// What was lost between busy polls counts, too: in waits that were short, or while the program computed.
func TestLostBefore(t *testing.T) {
	k := alone(sys.RunDelay{})
	k.now += slice
	k.said.Waited += 3 * time.Millisecond
	require.Zero(t, k.busyPoll(1))
	k.requireRest(t, restPerLoss*3*time.Millisecond)
	for _, harmless := range []sys.RunDelay{
		{Waited: turn - 1},                    // an idle CPU was woken, a few times
		{Waited: 10 * time.Second, Thread: 1}, // that of another thread
	} {
		k.now += slice
		k.said.Waited, k.said.Thread = k.said.Waited+harmless.Waited, k.said.Thread+harmless.Thread
		require.Equal(t, 1, k.busyPoll(1))
	}
	k.now += time.Second // the program has computed for long
	k.said.Waited += time.Second/notable - 1
	require.Equal(t, 1, k.busyPoll(1))
}

// The kernel is not asked at each busy poll.
func TestKernelIsAskedSeldom(t *testing.T) {
	k := alone(sys.RunDelay{})
	require.Equal(t, 1, k.busyPoll(1))
	k.contention.delay = func() sys.RunDelay { panic("asked") }
	k.now += slice - 2*time.Microsecond
	require.Equal(t, 1, k.busyPoll(1))
}

// A job that is started on a busy machine rests at once.
func TestBusyAtStart(t *testing.T) {
	k := alone(sys.RunDelay{Ran: 2 * time.Millisecond, Waited: 10 * time.Millisecond})
	k.requireRest(t, restPerLoss*10*time.Millisecond)
	k = alone(sys.RunDelay{Ran: 2 * time.Millisecond, Waited: 2 * turn})
	require.Equal(t, 32000, k.Begin(false))
}

// Work is no disturbance.
func TestBusyPollWorked(t *testing.T) {
	k, looks := alone(sys.RunDelay{}), 0
	k.BusyPoll(func() bool {
		looks++
		k.now += 2 * disturbance
		k.Worked()
		return looks == 20 || !k.GoOn(false)
	})
	require.Equal(t, 20, looks)
	require.False(t, k.resting())
}

// Only a rank with a CPU for itself busy-polls, and asks the kernel.
func TestKeepPolling(t *testing.T) {
	for _, ranks := range []int{2, 3} {
		w := NewWaiter(Policy{Spins: 1, Ranks: ranks, CPUs: 2})
		w.KeepPolling()
		require.Equal(t, ranks == 2, w.contention.delay != nil)
	}
}
