package exchange

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The paper's: L = 1 us, B = 5 GB/s.
var paper = Device{Latency: 1000, Bandwidth: 5e9}

func equal(n int, d Device) []Device {
	devices := make([]Device, n)
	for i := range devices {
		devices[i] = d
	}
	return devices
}

func messages(n, size int) []int {
	sizes := make([]int, n)
	for i := range sizes {
		sizes[i] = size
	}
	return sizes
}

// requireWhole makes sure that each byte of each message is in one piece.
func requireWhole(t *testing.T, plan *Plan, sizes []int) {
	t.Helper()
	count := make([]map[int]int, len(sizes)) // by begin, the end
	for _, queue := range plan.Queues {
		for _, p := range queue {
			require.Less(t, p.From, p.To)
			if count[p.Message] == nil {
				count[p.Message] = map[int]int{}
			}
			require.NotContains(t, count[p.Message], p.From)
			count[p.Message][p.From] = p.To
		}
	}
	for i, size := range sizes {
		at := 0
		for at < size {
			to, ok := count[i][at]
			require.True(t, ok, "byte %d of message %d of %d bytes is not sent", at, i, size)
			delete(count[i], at)
			at = to
		}
		require.Equal(t, size, at)
		require.Empty(t, count[i])
	}
}

// TestTable holds the table of docs/exchange.md: all numbers of messages and devices, of all
// sizes, against the formulas.
func TestTable(t *testing.T) {
	var p Planner
	const near = 1e-4
	for n := 2; n <= 32; n++ {
		for c := 2; c <= 16; c++ {
			for size := 1 << 10; size <= 8<<20; size *= 2 {
				devices, sizes := equal(c, paper), messages(n, size)
				times := map[Form]float64{}
				for _, f := range Forms() {
					plan := p.Make(f, sizes, devices)
					if size <= 4<<10 {
						requireWhole(t, plan, sizes)
					}
					times[f] = plan.Time
				}
				l, x, k := paper.Latency, float64(size)/5, gcd(n, c)
				rounds := math.Ceil(float64(n) / float64(c))
				plain, stripe := rounds*(l+x), float64(n)*(l+x/float64(c))
				steps := float64(n/k)*l + float64(n)*x/float64(c)
				if n <= c {
					steps = plain
				}
				where := fmt.Sprintf("N=%d C=%d M=%d", n, c, size)
				require.InEpsilon(t, plain, times[Plain], near, where)
				require.InEpsilon(t, stripe, times[Stripe], 1e-2, where) // whole bytes
				require.InEpsilon(t, steps, times[Steps], 1e-2, where)
				require.LessOrEqual(t, times[Wrap], (rounds+1)*l+float64(n)*x/float64(c)+1, where)
				best := min(times[Plain], times[Stripe], times[Steps])
				require.LessOrEqual(t, times[Wrap], best+l+1, where)
				choice := p.Choose(sizes, devices)
				require.InEpsilon(t, min(best, times[Wrap]), choice.Time, near, where)
			}
		}
	}
}

// TestPaper has the paper's points: 6 messages over 4 devices.
func TestPaper(t *testing.T) {
	var p Planner
	devices := equal(4, paper)
	rate := func(f Form, size int) float64 { return float64(6*size) / p.Make(f, messages(6, size), devices).Time }
	require.InDelta(t, 15, rate(Plain, 8<<20), 0.1) // bytes per ns are GB/s
	require.InDelta(t, 20, rate(Steps, 8<<20), 0.1)
	require.InDelta(t, 20, rate(Wrap, 8<<20), 0.1)
	require.Greater(t, rate(Plain, 8<<10), rate(Steps, 8<<10)) // the crossover, in powers of two
	require.Less(t, rate(Plain, 16<<10), rate(Steps, 16<<10))

	// 2 L + 1.5 X
	require.InDelta(t, 2*1000+1.5*(1<<20)/5, p.Make(Wrap, messages(6, 1<<20), devices).Time, 1)
	// 2 L + 1.25 X: as many pieces as plain has messages
	require.InDelta(t, 2*1000+1.25*(1<<20)/5, p.Make(Wrap, messages(5, 1<<20), devices).Time, 1)

	// The schedule: in no step two devices have the same destination.
	plan := p.Make(Steps, messages(6, 4000), devices)
	for step := range 3 {
		seen := map[int]bool{}
		for _, queue := range plan.Queues {
			require.False(t, seen[queue[step].Message])
			seen[queue[step].Message] = true
		}
	}
	require.Equal(t, []Piece{{0, 0, 2000}, {4, 0, 2000}, {2, 2000, 4000}}, plan.Queues[0])
}

// TestRandom: any sizes, any devices. Each byte is sent once, and no form beats the sum of the
// bandwidths. The choice leaves no device idle for longer than the largest message takes there.
func TestRandom(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	var p Planner
	for range 1000 {
		devices := make([]Device, 1+rng.IntN(8))
		for i := range devices {
			devices[i] = Device{Latency: rng.Float64() * 1e5, Bandwidth: 1e6 * math.Pow(10, rng.Float64())}
		}
		sizes := make([]int, rng.IntN(30))
		longest := 0
		for i := range sizes {
			sizes[i] = int(math.Pow(2, rng.Float64()*20)) - 1
			longest = max(longest, sizes[i])
		}
		p.Unit = 1 << rng.IntN(9)
		for _, f := range append(Forms(), Auto) {
			plan := p.Make(f, sizes, devices)
			requireWhole(t, plan, sizes)
			require.GreaterOrEqual(t, plan.Time*(1+1e-9), p.bound(sizes, devices))
			for i, d := range devices {
				require.LessOrEqual(t, plan.Finish(i, d), plan.Time)
				if f == Plain {
					require.GreaterOrEqual(t, plan.Finish(i, d)+d.time(1, longest)*(1+1e-9),
						plan.Time, "%v idle", plan.Form)
				}
			}
		}
		require.LessOrEqual(t, p.Make(Wrap, sizes, devices).Time, p.Make(Plain, sizes, devices).Time*(1+1e-9))
	}
}

// TestIdle: where cuts pay, a device of the wrap form is idle before the end for no longer
// than a latency and the rounding of cuts.
func TestIdle(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	var p Planner
	for range 2000 {
		devices := make([]Device, 2+rng.IntN(7))
		worst := 0.0
		for i := range devices {
			devices[i] = Device{Latency: 1e4 + rng.Float64()*1e5, Bandwidth: 1e7 * (1 + rng.Float64())}
			worst = max(worst, devices[i].Latency)
		}
		sizes := make([]int, len(devices)+1+rng.IntN(20))
		for i := range sizes {
			sizes[i] = 64<<10 + rng.IntN(1<<20) // at least 3 ms, 30 latencies
		}
		whole := p.Make(Plain, sizes, devices).Time
		plan := p.Make(Wrap, sizes, devices)
		if plan.Time >= whole {
			continue // no cut pays
		}
		for i, d := range devices {
			require.GreaterOrEqual(t, plan.Finish(i, d)+2*worst, plan.Time, "device %d of %d", i, len(devices))
		}
	}
}

func TestHalf(t *testing.T) {
	var p Planner
	devices := equal(4, paper)
	devices[2].Bandwidth /= 2
	plan := p.Choose(messages(6, 1<<20), devices)
	require.Equal(t, Wrap, plan.Form)
	bytes := 0
	for _, piece := range plan.Queues[2] {
		bytes += piece.Len()
	}
	require.InDelta(t, 6*(1<<20)/7, bytes, 20000)
}

func TestNothing(t *testing.T) {
	var p Planner
	for _, f := range append(Forms(), Auto) {
		require.Zero(t, p.Make(f, nil, equal(3, paper)).Time)
		plan := p.Make(f, []int{0, 0}, equal(3, paper))
		require.Zero(t, plan.Time)
		require.Len(t, plan.Queues, 3)
	}
	for _, f := range Forms() {
		g, err := ParseForm(f.String())
		require.NoError(t, err)
		require.Equal(t, f, g)
	}
	_, err := ParseForm("zigzag")
	require.ErrorContains(t, err, "zigzag")
}

func BenchmarkChoose(b *testing.B) {
	var p Planner
	devices := equal(4, paper)
	sizes := messages(26, 100000)
	for b.Loop() {
		p.Choose(sizes, devices)
	}
}
