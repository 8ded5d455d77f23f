package sim

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/loggps/pattern"
	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/graph"
	"github.com/gopvas/gopvas/loggps/internal/graphtest"
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

func run(t testing.TB, g *graph.Graph, opt Options) *Result {
	t.Helper()
	r, err := Run(g, opt)
	require.NoError(t, err)
	return r
}

// randomParams are whole numbers, so that sums are exact in any order.
func randomParams(rng *rand.Rand) loggps.Params {
	v := loggps.Params{Packet: rng.Int64N(500), Sync: 500 + rng.Int64N(1000)}.Values()
	for i := range v {
		v[i] = float64(1 + rng.IntN(10))
	}
	v[0], v[1] = float64(rng.IntN(3000)), float64(rng.IntN(2000))
	return loggps.Params{Packet: rng.Int64N(500), Sync: 500 + rng.Int64N(1000)}.With(v)
}

// residual has a message inline, which costs less than the control messages, and expensive long ones.
func residual(p loggps.Params) *loggps.Residual {
	return &loggps.Residual{
		Control: -p.O / 2, Latency: 100, Call: -p.O / 3, Sync: p.Sync,
		Points: []loggps.ResidualPoint{
			{Bytes: 0, Send: 50 - p.O, Transit: -p.L, Recv: 70 - p.O}, {Bytes: 100, Send: -p.O / 2},
			{Bytes: p.Sync, Recv: 1000},
			{Bytes: p.Sync + 1, Send: 5000, Transit: 3}, {Bytes: 1 << 19, Send: 90000, Recv: 9},
		},
	}
}

// Blocking calls on both sides take what the equations say, whichever comes first.
func TestBlockingCallsFollowTheEquations(t *testing.T) {
	for _, name := range append(loggps.Presets(), "S=0", "residual") {
		p := preset(t, "myrinet")
		switch name {
		case "S=0":
			p.Sync = 0 // below s
		case "residual":
			p.Residual = residual(p)
		default:
			p = preset(t, name)
		}
		for _, k := range []int64{0, 1, p.Packet, p.Packet + 1, p.Sync, p.Sync + 1, 1 << 20} {
			for _, ts := range []int64{0, 50_000, 10_000_000} {
				for _, tr := range []int64{0, 50_000, 10_000_000} {
					g := program(t, 2, func(m pattern.Member) {
						if m.Rank == 0 {
							m.Calc(ts)
							m.Send(k, 1)
						} else {
							m.Calc(tr)
							m.Recv(k, 0)
						}
					})
					r := run(t, g, Options{Machine: loggps.Single(p)})
					late := float64(tr - ts)
					assert.InDelta(t, float64(ts)+p.SendTime(k, late), r.Finish[0], 1e-6,
						"%s k=%d ts=%d tr=%d", name, k, ts, tr)
					assert.InDelta(t, float64(tr)+p.RecvTime(k, late), r.Finish[1], 1e-6,
						"%s k=%d ts=%d tr=%d", name, k, ts, tr)
				}
			}
		}
	}
}

// Nonblocking calls take o', and Wait what equation (11) says.
func TestNonblockingCallsFollowTheEquations(t *testing.T) {
	p := preset(t, "myrinet")
	p.Residual = &loggps.Residual{Call: -p.O / 3}
	for _, k := range []int64{0, 100, 8192, 16384, 1 << 20} {
		for _, loop := range []int64{0, 20_000, 100_000, 50_000_000} {
			g := program(t, 2, func(m pattern.Member) {
				var q graph.ID
				if m.Rank == 0 {
					q = m.Isend(k, 1)
				} else {
					q = m.Irecv(k, 0)
				}
				m.Calc(loop)
				m.Wait(q)
			})
			r := run(t, g, Options{Machine: loggps.Single(p)})
			elapsed := p.Call() + float64(loop)
			assert.InDelta(t, elapsed+p.WaitTime(p.SendTime(k, 0), elapsed), r.Finish[0], 1e-6, "k=%d loop=%d", k, loop)
			assert.InDelta(t, elapsed+p.WaitTime(p.RecvTime(k, 0), elapsed), r.Finish[1], 1e-6, "k=%d loop=%d", k, loop)
		}
	}
}

// The round trip of the fit, simulated, takes what equations (12) to (14) say.
func TestRoundTripFollowsTheEquations(t *testing.T) {
	for _, name := range loggps.Presets() {
		p := preset(t, name)
		for _, k := range []int64{0, 1000, p.Sync} {
			for _, w := range []int64{0, 1e9} {
				g := program(t, 2, func(m pattern.Member) {
					if m.Rank == 0 {
						m.Send(k, 1)
						m.Calc(w)
						m.Recv(k, 1)
					} else {
						m.Recv(k, 0)
						m.Send(k, 0)
					}
				})
				r := run(t, g, Options{Machine: loggps.Single(p)})
				assert.InEpsilon(t, p.RoundTrip(k, float64(w)), r.Finish[0], 1e-9, "%s k=%d w=%d", name, k, w)
			}
		}
	}
}

func TestClosedForms(t *testing.T) {
	p := preset(t, "fast-ethernet")
	opt := Options{Machine: loggps.Single(p)}
	const k = 700
	hop := p.CommTime(k, 0)
	t.Run("ring", func(t *testing.T) {
		r := run(t, program(t, 9, func(m pattern.Member) { m.Ring(k) }), opt)
		assert.InEpsilon(t, 9*hop, r.Time(), 1e-12)
	})
	t.Run("ping-pong", func(t *testing.T) {
		r := run(t, program(t, 2, func(m pattern.Member) { m.PingPong(k, 100) }), opt)
		assert.InEpsilon(t, 200*hop, r.Time(), 1e-12)
	})
	t.Run("binomial tree of a power of two", func(t *testing.T) {
		// The root sends 5 times; the last of its line receives through 5 hops. Which is
		// longer depends on T1 against the hop: each rank at depth d, sent as number j.
		r := run(t, program(t, 32, func(m pattern.Member) { m.BinomialBcast(k, 0) }), opt)
		assert.InEpsilon(t, 5*hop, r.Finish[31], 1e-12)
		assert.InEpsilon(t, 5*p.T1(k), r.Finish[0], 1e-12)
		assert.InEpsilon(t, 4*p.T1(k)+hop, r.Finish[1], 1e-12)
	})
	t.Run("binomial tree in LogGOPS", func(t *testing.T) {
		m := loggps.LogGOPS{L: 2500, Overhead: 1500, Gap: 1000, GapByte: 6, S: 65535}
		r := run(t, program(t, 32, func(m pattern.Member) { m.BinomialBcast(1, 0) }),
			Options{Machine: loggps.Single(m.Params()), Mode: LogGOPS})
		assert.Equal(t, 27500.0, r.Finish[31]) // 5 (L + 2o)
	})
	t.Run("recursive doubling", func(t *testing.T) {
		r := run(t, program(t, 16, func(m pattern.Member) { m.RecursiveDoubling(k) }), opt)
		for _, f := range r.Finish { // Irecv, then the exchange at the pace of its message
			assert.InEpsilon(t, 4*(p.O+hop), f, 1e-12)
		}
	})
}

// oracle computes the times of a chain of blocking calls from the equations alone, by
// relaxation of a longest-path problem: it knows nothing of events.
func oracle(g *graph.Graph, p loggps.Params, mate func(graph.ID) graph.ID) (finish []float64) {
	begin, end := make([]float64, g.Len()), make([]float64, g.Len())
	for changed := true; changed; {
		changed = false
		for r := range g.Ranks() {
			now := 0.0
			span := g.Of(r)
			for id := span.First; id < span.End; id++ {
				begin[id] = now
				op, took := g.Op(id), 0.0
				switch op.Kind {
				case graph.Calc:
					took = float64(op.Size)
				case graph.Send:
					took = p.SendTime(op.Size, begin[mate(id)]-now)
				case graph.Recv:
					took = p.RecvTime(op.Size, now-begin[mate(id)])
				}
				now += took
				changed = changed || math.Abs(end[id]-now) > 1e-6
				end[id] = now
			}
		}
	}
	for r := range g.Ranks() {
		last := 0.0
		if s := g.Of(r); s.Len() > 0 {
			last = end[s.End-1]
		}
		finish = append(finish, last)
	}
	return finish
}

func TestChainsAreLongestPaths(t *testing.T) {
	rng := testkit.Rand(t)
	for range 200 {
		g := graphtest.Random(rng,
			graphtest.Shape{Ranks: 2 + rng.IntN(6), Messages: 1 + rng.IntN(40), Size: 2000, Calc: 5000, Chain: true})
		p := randomParams(rng)
		r := run(t, g, Options{Machine: loggps.Single(p), Record: true, Unshared: true})
		assert.InDeltaSlice(t, oracle(g, p, r.Mate), r.Finish, 1e-6)
		checkPaths(t, r)
	}
}

// checkPaths makes sure that every rank's path adds up to its time and that its steps
// follow one another.
func checkPaths(t *testing.T, r *Result) {
	t.Helper()
	for rank, finish := range r.Finish {
		steps, err := r.Path(rank)
		require.NoError(t, err)
		now := 0.0
		for _, s := range steps {
			assert.Equal(t, now, s.From)
			assert.GreaterOrEqual(t, s.To, s.From)
			now = s.To
		}
		require.InDelta(t, finish, now, 1e-6, "rank %d", rank)
	}
}

func TestPathsAddUp(t *testing.T) {
	rng := testkit.Rand(t)
	for range 300 {
		g := graphtest.Random(rng,
			graphtest.Shape{Ranks: 2 + rng.IntN(6), Messages: 1 + rng.IntN(60), Size: 2000, Calc: 5000,
				CPUs: 1 + rng.IntN(2), NICs: 1 + rng.IntN(2)})
		p := randomParams(rng)
		checkPaths(t, run(t, g, Options{Machine: loggps.Single(p), Record: true}))
		more := p
		more.Residual = residual(p)
		more.Residual.Points[0].Transit = 0 // no message is there before it could be noticed
		checkPaths(t, run(t, g, Options{Machine: loggps.Single(more), Record: true}))
		q := loggps.LogGOPS{L: p.L, Overhead: p.O, Gap: float64(rng.IntN(3000)), GapByte: p.Gs,
			OverByte: p.Oss, S: p.Sync}.Params()
		checkPaths(t, run(t, g, Options{Machine: loggps.Single(q), Mode: LogGOPS, Record: true}))
	}
	for _, name := range pattern.Collectives() {
		f, err := pattern.Collective(name)
		require.NoError(t, err)
		for _, ranks := range []int{1, 2, 7, 16} {
			for _, k := range []int64{8, 100_000} {
				g := program(t, ranks, func(m pattern.Member) { f(m, k) })
				for _, mode := range []Mode{LogGPS, LogGOPS} {
					p := randomParams(rng)
					p.Osl, p.Orl, p.Ors, p.Gl = p.Oss, p.Oss, p.Oss, p.Gs
					checkPaths(t, run(t, g, Options{Machine: loggps.Single(p), Mode: mode, Record: true}))
				}
			}
		}
	}
}

// With a CPU each, what the CPU of a rank did adds up to the time of the rank.
func TestBreakdownAddsUp(t *testing.T) {
	rng := testkit.Rand(t)
	for i := range 300 {
		shape := graphtest.Shape{Ranks: 2 + rng.IntN(6), Messages: 1 + rng.IntN(60), Size: 2000,
			Calc: 5000, Chain: i%3 == 0}
		g := graphtest.Random(rng, shape)
		p := randomParams(rng)
		p.Osl, p.Orl, p.Ors, p.Gl = p.Oss, p.Oss, p.Oss, p.Gs
		for _, mode := range []Mode{LogGPS, LogGOPS} {
			opt := Options{Machine: loggps.Single(p), Mode: mode}
			if mode == LogGPS && i%2 == 0 {
				opt.Share = &Share{CPUs: 1 + rng.IntN(3), Slice: 500, Switch: 10}
			}
			r := run(t, g, opt)
			for rank, b := range r.Ranks {
				assert.InDelta(t, r.Finish[rank], b.Total(), 1e-6)
				computed := 0.0
				span := g.Of(rank)
				for id := span.First; id < span.End; id++ {
					if g.Op(id).Kind == graph.Calc {
						computed += float64(g.Op(id).Size)
					}
				}
				assert.InDelta(t, computed, b[Compute], 1e-6)
			}
		}
	}
}

// What is watched is in order, has no holes, and makes the breakdown.
func TestWatch(t *testing.T) {
	g := program(t, 16, func(m pattern.Member) {
		m.Halo([]int{4, 4}, 100_000, 5000, 3)
		m.RingAllreduce(70_000)
		m.Calc(int64(m.Rank) * 1000)
		m.BinomialBcast(100_000, 3)
	})
	for _, share := range []*Share{nil, {CPUs: 2, Slice: 2000, Switch: 100}} {
		var sum [16]Breakdown
		var at [16]float64
		r := run(t, g, Options{Machine: loggps.Single(fast), Share: share, Watch: func(p Piece) {
			require.Equal(t, at[p.Rank], p.From)
			require.Greater(t, p.To, p.From)
			at[p.Rank] = p.To
			sum[p.Rank][p.Cause] += p.To - p.From
			if p.Op != NoOp { // the request of a rendezvous is handled for its send
				require.True(t, g.Op(p.Op).Rank == p.Rank || g.Op(p.Op).Peer == p.Rank)
			}
		}})
		for rank, b := range r.Ranks {
			require.Equal(t, r.Finish[rank], at[rank])
			for c, v := range b {
				require.InDelta(t, v, sum[rank][c], 1e-6)
			}
		}
	}
}
