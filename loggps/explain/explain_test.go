package explain

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/loggps/pattern"
	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/graph"
	"github.com/gopvas/gopvas/loggps/internal/graphtest"
	"github.com/gopvas/gopvas/loggps/sim"
)

func preset(t testing.TB, name string) loggps.Params {
	t.Helper()
	l, err := loggps.Preset(name)
	require.NoError(t, err)
	return l.Params
}

func program(t testing.TB, ranks int, run func(pattern.Member)) *graph.Graph {
	t.Helper()
	g, err := pattern.Program(ranks, run)
	require.NoError(t, err)
	return g
}

func explained(t testing.TB, g *graph.Graph, opt sim.Options) (*sim.Result, *Path) {
	t.Helper()
	opt.Record = true
	r, err := sim.Run(g, opt)
	require.NoError(t, err)
	p, err := CriticalPath(r)
	require.NoError(t, err)
	return r, p
}

// difference is the derivative of the time by a parameter, from two simulations with the
// parameter a little larger and a little smaller. Param counts in loggps.Names. A
// parameter of 0 has none.
func difference(g *graph.Graph, opt sim.Options, link, param int) (float64, error) {
	if err := check(opt, link, param); err != nil {
		return 0, err
	}
	v := opt.Machine.Links[link].Params.Values()[param]
	if v == 0 {
		return 0,
			fmt.Errorf("explain: difference by %s: it is 0 on link %d; the slope of the critical path holds there",
				loggps.Names[param], link)
	}
	const step = 1e-6
	up, err := timeOf(g, scaled(opt, link, param, 1+step))
	if err != nil {
		return 0, err
	}
	down, err := timeOf(g, scaled(opt, link, param, 1-step))
	return (up - down) / (2 * step * v), err
}

// What stands on the path adds up to the time, and slopes equal finite differences unless
// the program is at a kink, where the differences of both sides differ.
func TestSlopesAgainstDifferences(t *testing.T) {
	rng := testkit.Rand(t)
	agree, kinks := 0, 0
	for i := range 120 {
		shape := graphtest.Shape{Ranks: 2 + rng.IntN(5), Messages: 5 + rng.IntN(40), Size: 20_000,
			Calc: 200_000, Chain: i%2 == 0}
		g := graphtest.Random(rng, shape)
		v := preset(t, "fast-ethernet").Values()
		for j := range v {
			v[j] *= 0.5 + rng.Float64() // uneven, so that no two paths are equally long
		}
		opt := sim.Options{Machine: loggps.Single(preset(t, "fast-ethernet").With(v))}
		switch i % 3 {
		case 1:
			opt.Machine.Links[0].Params.Residual = &loggps.Residual{
				Control: 100, Latency: 200, Call: 50, Sync: 16383,
				Points: []loggps.ResidualPoint{{Send: 700, Recv: 300}, {Bytes: 10_000, Send: 100, Transit: 90},
					{Bytes: 20_000, Send: 4000}},
			}
		case 0:
			opt.Mode = sim.LogGOPS
			opt.Machine = loggps.Single(loggps.LogGOPS{L: v[0], Overhead: v[1], Gap: 1.1 * v[1], GapByte: v[6],
				OverByte: v[2], S: 9000}.Params())
		}
		r, path := explained(t, g, opt)
		sum := 0.0
		for _, s := range path.Shares(r.Links()) {
			sum += s.Time
		}
		assert.InEpsilon(t, path.Time, sum, 1e-9)
		for _, name := range []int{0, 1} { // L and o; LogGOPS wants some others to change together
			d, err := difference(g, opt, 0, name)
			require.NoError(t, err)
			if math.Abs(d-path.Slopes[0][name]) < 1e-2*max(1, math.Abs(d)) {
				agree++
			} else {
				kinks++
			}
		}
	}
	t.Logf("%d slopes agree, %d are at a kink", agree, kinks)
	assert.Less(t, kinks, agree/10)
}

// All slopes of programs without queues agree with the differences.
func TestAllSlopesOfAChain(t *testing.T) {
	g := program(t, 4, func(m pattern.Member) {
		m.Calc(int64(1000 * m.Rank))
		m.BinomialReduce(5000, 0)
		m.BinomialBcast(20_000, 0)
	})
	opt := sim.Options{Machine: loggps.Single(preset(t, "myrinet"))}
	_, path := explained(t, g, opt)
	for i, name := range loggps.Names {
		if name == "g" {
			_, err := difference(g, opt, 0, i)
			assert.ErrorContains(t, err, "it is 0")
			continue
		}
		d, err := difference(g, opt, 0, i)
		require.NoError(t, err)
		assert.InDelta(t, path.Slopes[0][i], d, 1e-3*max(1, d), name)
	}
}

// Ping-pong of n eager messages of k bytes: 2n times equation (1).
func TestPathOfPingPong(t *testing.T) {
	_, p := explained(t, program(t, 2, func(m pattern.Member) { m.PingPong(100, 5) }),
		sim.Options{Machine: loggps.Single(preset(t, "myrinet"))})
	assert.Equal(t, []loggps.Terms{{10, 20, 1000, 1000, 0, 0, 1000, 0, 0}}, p.Slopes)
	assert.Zero(t, p.Compute)
}

func TestSharesByLink(t *testing.T) {
	m := loggps.Machine{RanksPerNode: 1,
		Links: []loggps.Link{{Params: loggps.Params{L: 1}}, {Params: loggps.Params{L: 70}}}}
	r, p := explained(t, program(t, 2, func(m pattern.Member) { m.Calc(30); m.PingPong(0, 1) }),
		sim.Options{Machine: m})
	assert.Equal(t, []Share{{1, "L", 2, 140}, {-1, "computation", 1, 30}, {1, "o", 4, 0}}, p.Shares(r.Links()))
}

func TestTolerance(t *testing.T) {
	g := program(t, 2, func(m pattern.Member) { m.Calc(99_000); m.PingPong(0, 1) })
	opt := sim.Options{Machine: loggps.Single(loggps.Params{L: 500})}
	f, err := Tolerance(g, opt, 0, 0, 0.01) // 2 L = 1000 of 100,000
	require.NoError(t, err)
	assert.InEpsilon(t, 2, f, 1e-3)
	f, err = Tolerance(g, opt, 0, 2, 0.01) // Oss is 0
	require.NoError(t, err)
	assert.Equal(t, math.Inf(1), f)

	// Slack: rank 1 waits for nobody until 50,000, so L matters only beyond.
	g = program(t, 2, func(m pattern.Member) {
		if m.Rank == 0 {
			m.Send(0, 1)
		} else {
			m.Calc(50_000)
			m.Recv(0, 0)
		}
	})
	_, path := explained(t, g, opt)
	assert.Zero(t, path.Slopes[0][0])
	f, err = Tolerance(g, opt, 0, 0, 0.01)
	require.NoError(t, err)
	assert.InEpsilon(t, 50_500.0/500, f, 1e-3)
	_, err = Tolerance(g, opt, 1, 0, 0.01)
	assert.ErrorContains(t, err, "link 1")
}

// What is one parameter of LogGOPS grows as one.
func TestToleranceOfLogGOPS(t *testing.T) {
	g := program(t, 2, func(m pattern.Member) { m.Calc(99_000); m.PingPong(101, 1) })
	p := loggps.LogGOPS{L: 1, GapByte: 5, OverByte: 2, S: 1000}.Params()
	opt := sim.Options{Machine: loggps.Single(p), Mode: sim.LogGOPS}
	now, err := timeOf(g, opt)
	require.NoError(t, err)
	for param := 6; param < 8; param++ { // G is on the path 2 times 100 bytes
		f, err := Tolerance(g, opt, 0, param, 0.01)
		require.NoError(t, err)
		assert.InEpsilon(t, 1+0.01*now/1000, f, 1e-3)
	}
}

// The sender of long messages waits for a receiver that computes: a larger S frees it.
func TestLimits(t *testing.T) {
	g := program(t, 2, func(m pattern.Member) {
		for _, k := range []int64{1000, 20_000, 30_000} {
			if m.Rank == 0 {
				m.Send(k, 1)
			} else {
				m.Calc(2_000_000)
				m.Recv(k, 0)
			}
		}
	})
	opt := sim.Options{Machine: loggps.Single(preset(t, "myrinet"))}
	limits, err := Limits(g, opt, 20_000)
	require.NoError(t, err)
	require.Len(t, limits, 2, "larger ones cannot be had")
	limits, err = Limits(g, opt, loggps.Unlimited)
	require.NoError(t, err)
	require.Len(t, limits, 3)
	assert.Equal(t, []int64{16383, 20_000, 30_000}, []int64{limits[0].S, limits[1].S, limits[2].S})
	assert.Greater(t, limits[0].SendWait, limits[1].SendWait)
	assert.Zero(t, limits[2].SendWait)
	assert.EqualValues(t, 16383, opt.Machine.Links[0].Params.Sync, "the options given have changed")
	assert.Len(t, thin(make([]int64, 1000)), maxLimits)
}

func TestNotRecorded(t *testing.T) {
	g := program(t, 2, func(m pattern.Member) { m.Calc(3) })
	r, err := sim.Run(g, sim.Options{Machine: loggps.Single(loggps.Params{})})
	require.NoError(t, err)
	_, err = CriticalPath(r)
	assert.ErrorIs(t, err, sim.ErrNotRecorded)
}

func BenchmarkCriticalPath(b *testing.B) {
	g := program(b, 64, func(m pattern.Member) { m.Halo([]int{8, 8}, 1000, 10_000, 100) })
	for b.Loop() {
		r, err := sim.Run(g, sim.Options{Machine: loggps.Single(preset(b, "myrinet")), Record: true})
		require.NoError(b, err)
		_, err = CriticalPath(r)
		require.NoError(b, err)
	}
}
