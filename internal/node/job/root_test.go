package job

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/mpi/fault"
	"github.com/gopvas/gopvas/shm"
)

// testRoot returns a root block in Go memory, which the race detector sees.
func testRoot(t testing.TB, c Config) *Root {
	t.Helper()
	if c.BTL == 0 {
		c.BTL = BTLPvas
	}
	if c.CPUs == 0 {
		c.CPUs = 1
	}
	require.NoError(t, c.check())
	return initRoot(heapRoot(c.Ranks), c, 0, 0)
}

func TestRootTellsWhatItWasCreatedWith(t *testing.T) {
	r := initRoot(heapRoot(3), Config{Ranks: 3, BTL: BTLSM, CPUs: 2, HugePages: ReservedPages, Hold: true}, 4096, 8192)
	require.Equal(t, 3, r.Ranks())
	require.Equal(t, BTLSM, r.BTL())
	require.Equal(t, 2, r.CPUs())
	require.Positive(t, r.PageSize())
	require.Equal(t, ReservedPages, r.HugePages())
	require.True(t, r.Holding())
	require.EqualValues(t, 8192, r.SegmentStride())
	require.EqualValues(t, 4096+2*8192, r.SegmentOffset(2))
	require.Zero(t, r.Spin(), "three ranks on two CPUs do not spin")
	require.Equal(t, shm.Policy{Spins: DefaultSpin, Ranks: 3, CPUs: 2}, r.WaitPolicy())
	require.Positive(t, testRoot(t, Config{Ranks: 2, CPUs: 2}).Spin())
	require.Empty(t, testRoot(t, Config{Ranks: 1}).HugePages())
}

func TestConfigIsChecked(t *testing.T) {
	good := Config{Ranks: 1, BTL: BTLSM, CPUs: 1}
	require.NoError(t, good.check())
	for _, change := range []func(*Config){
		func(c *Config) { c.Ranks = 0 },
		func(c *Config) { c.Ranks = -1 },
		func(c *Config) { c.Ranks = MaxRanks + 1 },
		func(c *Config) { c.BTL = 0 },
		func(c *Config) { c.BTL = 3 },
		func(c *Config) { c.CPUs = 0 },
		func(c *Config) { c.HugePages = "small" },
	} {
		c := good
		change(&c)
		_, err := Create(c)
		require.Error(t, err, "%+v", c)
	}
}

func TestArenaAndPartition(t *testing.T) {
	r := testRoot(t, Config{Ranks: 2})
	r.SetTask(1, Task{Partition: 0x10000, Size: 0x20000, Arena: 0x18000, Small: 0x14000, SmallSize: 0x2000})
	base, size := r.Arena(1)
	require.Equal(t, [2]uint64{0x18000, 0x18000}, [2]uint64{base, size})
	base, size = r.Partition(1)
	require.Equal(t, [2]uint64{0x10000, 0x20000}, [2]uint64{base, size})
	_, size = r.Arena(0)
	require.Zero(t, size)
	base, size = r.SmallRegion(1)
	require.Equal(t, [2]uint64{0x14000, 0x2000}, [2]uint64{base, size})
	_, size = r.SmallRegion(0)
	require.Zero(t, size)
}

func TestClaim(t *testing.T) {
	r := testRoot(t, Config{Ranks: 3})
	require.Zero(t, r.Pid(1))
	require.NoError(t, r.Claim(1, 41))
	require.NoError(t, r.Claim(1, 41), "the same process again")
	require.ErrorIs(t, r.Claim(1, 42), ErrClaimed)
	require.Equal(t, 41, r.Pid(1))
	require.False(t, Knows(r, 1, 0), "no process has claimed it")
	require.True(t, Knows(r, 0, 1))
	r.head.pidSpace++ // as from a PID namespace of this process's own
	require.NoError(t, r.Claim(2, 41))
	require.NoError(t, r.Claim(2, 41), "the same process again")
	require.ErrorContains(t, r.Claim(2, 42), "(process 41)")
	require.Zero(t, r.Pid(2))
	require.False(t, Knows(r, 1, 2))
	require.False(t, Knows(r, 2, 1))
	r.Reaping(41)
	require.True(t, r.PidOver(1))
	require.False(t, r.PidOver(2))
	r.head.pidSpace--
	require.Equal(t, 41, r.Pid(1))
	require.Error(t, r.Claim(0, 0))
	require.Zero(t, r.Pid(0))
}

func TestWindowsAndStates(t *testing.T) {
	r := testRoot(t, Config{Ranks: 2})
	require.NoError(t, r.PublishWindow(1, MaxWindows-1, math.MaxUint64, 7))
	at, length := r.Window(1, MaxWindows-1)
	require.Equal(t, [2]uint64{math.MaxUint64, 7}, [2]uint64{at, length})
	require.NoError(t, r.PublishWindow(1, 0, 4096, 5))
	require.NoError(t, r.PublishWindow(0, 0, 4096, 9))
	require.EqualValues(t, 12, r.SharedBytes())
	require.ErrorContains(t, r.PublishWindow(0, MaxWindows, 1, 1), "at most 32 windows")
	require.Error(t, r.PublishWindow(0, -1, 1, 1))
	require.Equal(t, StateNone, r.State(0))
	r.SetState(0, StateAborted)
	require.Equal(t, StateAborted, r.State(0))
	require.Equal(t, StateNone, r.State(1))
}

func TestRanksThatDoNotExist(t *testing.T) {
	r := testRoot(t, Config{Ranks: 2})
	for _, rank := range []int{-1, 2, math.MaxInt, math.MinInt} {
		want := &fault.RankError{Rank: rank, Size: 2}
		for _, err := range []error{r.Claim(rank, 1), r.PublishWindow(rank, 0, 1, 1)} {
			var have *fault.RankError
			require.ErrorAs(t, err, &have)
			require.Equal(t, want, have)
		}
		r.SetTask(rank, Task{1, 1, 1, 1, 1, 1})
		r.SetState(rank, StateFinal)
		r.MarkGone(rank)
		require.Equal(t, StateNone, r.State(rank))
		require.Zero(t, r.Pid(rank))
		at, length := r.Window(rank, 0)
		require.Zero(t, at+length)
	}
	_, ok := r.Lost()
	require.False(t, ok)
}

func TestFirstLostIsRemembered(t *testing.T) {
	r := testRoot(t, Config{Ranks: 3})
	_, ok := r.Lost()
	require.False(t, ok)
	for _, rank := range []int{2, 2, 0} {
		r.MarkGone(rank)
		lost, ok := r.Lost()
		require.True(t, ok)
		require.Equal(t, 2, lost)
	}
	require.EqualValues(t, 2, r.head.goneCount.Load())
}

// A rank that has ended well before is no cause of what others do.
func TestLostIsTheCause(t *testing.T) {
	r := testRoot(t, Config{Ranks: 4})
	for i, state := range []State{StateFinal, StateFinal, StateInit, StateAborted} {
		r.SetState(i, state)
		r.MarkGone(i)
		lost, ok := r.Lost()
		require.True(t, ok)
		require.Equal(t, []int{0, 0, 2, 2}[i], lost)
	}
}

// TestPidOver: the rank whose process is about to be reaped is known by its pid.
func TestPidOver(t *testing.T) {
	r := testRoot(t, Config{Ranks: 3})
	require.NoError(t, r.Claim(1, 41))
	require.NoError(t, r.Claim(2, 42))
	r.Reaping(40)
	for want, reaping := range []int{40, 42, 41} {
		r.Reaping(reaping)
		over := 0
		for rank := range 3 {
			if r.PidOver(rank) {
				over++
			}
		}
		require.Equal(t, want, over)
	}
	require.False(t, r.PidOver(0), "nobody has claimed it")
	require.False(t, r.Gone(1))
}

func TestNames(t *testing.T) {
	for want, have := range map[string]interface{ String() string }{
		"pvas": BTLPvas, "sm": BTLSM, "BTL(9)": BTL(9),
		"none": StateNone, "init": StateInit, "final": StateFinal, "aborted": StateAborted, "faulted": StateFaulted,
		"State(9)": State(9),
		"finalize": HoldFinalize, "Hold(9)": Hold(9),
	} {
		require.Equal(t, want, have.String())
	}
}
