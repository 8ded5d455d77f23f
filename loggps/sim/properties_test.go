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

// Where the operations of a rank follow one another, no queue forms, and nothing ends
// earlier because a parameter is larger.
func TestMonotoneWithoutQueues(t *testing.T) {
	rng := testkit.Rand(t)
	for range 100 {
		g := graphtest.Random(rng,
			graphtest.Shape{Ranks: 2 + rng.IntN(6), Messages: 1 + rng.IntN(40), Size: 2000, Calc: 5000, Chain: true})
		p := randomParams(rng)
		before := run(t, g, Options{Machine: loggps.Single(p), Unshared: true})
		for i := range loggps.NumValues {
			v := p.Values()
			v[i] = v[i]*1.5 + 1
			after := run(t, g, Options{Machine: loggps.Single(p.With(v)), Unshared: true})
			for rank := range before.Finish {
				assert.GreaterOrEqual(t, after.Finish[rank], before.Finish[rank], "%s rank %d", loggps.Names[i], rank)
			}
		}
	}
}

// With queues it is no law: rank 1 has two things to do when a message comes, and which it
// does first decides when rank 2 may go on. A slower message lets it do the right one.
func TestNotMonotoneWithQueues(t *testing.T) {
	b := graph.NewBuilder(3)
	c := b.Calls(0)
	c.Send(0, 1)
	b.Rank(1)
	recv := b.Add(graph.Op{Kind: graph.Recv, Peer: 0})
	long := b.Add(graph.Op{Kind: graph.Calc, Size: 10_000})
	b.Requires(long, recv)
	short := b.Add(graph.Op{Kind: graph.Calc, Size: 1000})
	send := b.Add(graph.Op{Kind: graph.Send, Peer: 2})
	ready := b.Add(graph.Op{Kind: graph.Calc, Size: 150, CPU: 1})
	b.Requires(short, ready)
	b.Requires(send, short)
	c = b.Calls(2)
	c.Recv(0, 1)
	c.Calc(20_000)
	g, err := b.Graph()
	require.NoError(t, err)
	fast := run(t, g, Options{Machine: loggps.Single(loggps.Params{L: 10, O: 10})})
	slow := run(t, g, Options{Machine: loggps.Single(loggps.Params{L: 500, O: 10})})
	assert.Less(t, slow.Time(), fast.Time())
}

// The order in which operations are added means nothing where their CPUs are never wanted
// by two at once.
func TestOrderOfAddingHasNoEffect(t *testing.T) {
	rng := testkit.Rand(t)
	for range 100 {
		g := graphtest.Random(rng,
			graphtest.Shape{Ranks: 2 + rng.IntN(6), Messages: 1 + rng.IntN(40), Size: 2000, Calc: 5000, Chain: true})
		p := randomParams(rng)
		opt := Options{Machine: loggps.Single(p), Unshared: true} // who comes first at a wire is a matter of order
		assert.Equal(t, run(t, g, opt).Finish, run(t, shuffled(t, rng, g), opt).Finish)
	}
}

// shuffled is the same program, its operations and ranks added in another order.
func shuffled(t *testing.T, rng *rand.Rand, g *graph.Graph) *graph.Graph {
	b := graph.NewBuilder(g.Ranks())
	for _, rank := range rng.Perm(g.Ranks()) {
		b.Rank(rank)
		span, renamed := g.Of(rank), map[graph.ID]graph.ID{}
		for _, i := range rng.Perm(span.Len()) {
			id := span.First + graph.ID(i)
			renamed[id] = b.Add(*g.Op(id))
		}
		for id := span.First; id < span.End; id++ {
			for _, d := range g.Dependents(id) {
				b.Depend(renamed[d.ID()], renamed[id], d.Dep())
			}
		}
	}
	s, err := b.Graph()
	require.NoError(t, err)
	return s
}

// A simulation is a function of its input: the same twice, and not touched by another one.
func TestDeterministic(t *testing.T) {
	rng := testkit.Rand(t)
	g := graphtest.Random(rng, graphtest.Shape{Ranks: 8, Messages: 300, Size: 2000, Calc: 5000, CPUs: 2, NICs: 2})
	opt := Options{Machine: loggps.Single(randomParams(rng))}
	first := run(t, g, opt)
	run(t, g, Options{Machine: opt.Machine, Synchronous: true, Record: true})
	assert.Equal(t, first.Finish, run(t, g, opt).Finish)
}

// Dependencies between CPUs of a rank hold, which LogGOPSim ignores at times.
func TestDependenciesAcrossCPUs(t *testing.T) {
	rng := testkit.Rand(t)
	for range 200 {
		g := graphtest.Random(rng, graphtest.Shape{Ranks: 3, Messages: 40, Size: 2000, Calc: 5000, CPUs: 3})
		p := randomParams(rng)
		p.Osl, p.Orl, p.Ors, p.Gl = p.Oss, p.Oss, p.Oss, p.Gs
		for _, mode := range []Mode{LogGPS, LogGOPS} {
			r := run(t, g, Options{Machine: loggps.Single(p), Mode: mode})
			for id := range graph.ID(g.Len()) {
				assert.GreaterOrEqual(t, r.End(id), r.Start(id))
				for _, d := range g.Dependents(id) {
					if d.Dep() == graph.Requires {
						require.GreaterOrEqual(t, r.Start(d.ID()), r.End(id))
					} else {
						require.GreaterOrEqual(t, r.Start(d.ID()), r.Start(id))
					}
				}
			}
		}
	}
}

func TestEmptyMessageCostsO(t *testing.T) {
	g := program(t, 2, func(m pattern.Member) { m.PingPong(0, 1) })
	p := loggps.LogGOPS{L: 100, Overhead: 10, OverByte: 5, GapByte: 3, S: 10}.Params()
	assert.Equal(t, 240.0, run(t, g, Options{Machine: loggps.Single(p), Mode: LogGOPS}).Time())
}

// Two nodes of two ranks: messages within a node use the first link, between nodes that of
// their NIC.
func TestSeveralLinks(t *testing.T) {
	link := func(l float64) loggps.Link { return loggps.Link{Params: loggps.Params{L: l}} }
	m := loggps.Machine{RanksPerNode: 2, Links: []loggps.Link{link(1), link(10), link(100)}}
	for _, c := range []struct {
		to   int
		nic  uint8
		want float64
	}{{1, 0, 1}, {1, 1, 1}, {2, 0, 10}, {3, 1, 100}, {3, 9, 100}} {
		g := program(t, 4, func(m pattern.Member) {
			m.NIC = c.nic
			if m.Rank == 0 {
				m.Send(0, c.to)
			} else if m.Rank == c.to {
				m.Recv(0, 0)
			}
		})
		assert.Equal(t, c.want, run(t, g, Options{Machine: m}).Time(), "%+v", c)
	}
}

// TestNodesOfRanks: the nodes of a recorded job are as its ranks were dealt, not blocks of like lengths. Ranks of a
// node use its memory and share its CPUs.
func TestNodesOfRanks(t *testing.T) {
	m := loggps.Machine{Nodes: []int{0, 1, 1, 0}, RanksPerNode: 4,
		Links: []loggps.Link{{Params: loggps.Params{L: 1}}, {Params: loggps.Params{L: 10}}}}
	for to, want := range map[int]float64{1: 10, 2: 10, 3: 1} {
		g := program(t, 4, func(m pattern.Member) {
			switch m.Rank {
			case 0:
				m.Send(0, to)
			case to:
				m.Recv(0, 0)
			}
		})
		assert.Equal(t, want, run(t, g, Options{Machine: m}).Time(), to)
	}
	work := program(t, 4, func(m pattern.Member) {
		if m.Rank != 2 {
			m.Calc(1000)
		}
	})
	shared := run(t, work, Options{Machine: m, Share: &Share{CPUs: 1}})
	assert.Equal(t, 1000.0, shared.Finish[1], "alone on its node")
	assert.Equal(t, 2000.0, max(shared.Finish[0], shared.Finish[3]), "in turns")
	for _, nodes := range [][]int{{}, {0, 1, 1}, {0, 1, 1, 4}, {0, 0, 0, -1}} {
		m.Nodes = nodes
		_, err := Run(work, Options{Machine: m})
		assert.ErrorContains(t, err, "give one for each of the 4 ranks")
	}
}

func TestFasterCPUs(t *testing.T) {
	g := program(t, 2, func(m pattern.Member) { m.Calc(1000); m.PingPong(8, 1) })
	p := preset(t, "myrinet")
	whole := run(t, g, Options{Machine: loggps.Single(p)}).Time()
	assert.Equal(t, whole-500, run(t, g, Options{Machine: loggps.Single(p), Compute: 0.5}).Time())
}

// Ranks on shared CPUs take turns: work is conserved, and nobody starves.
func TestSharedCPUs(t *testing.T) {
	free := loggps.Single(loggps.Params{Sync: 1 << 30, Packet: 1 << 30})
	compute := program(t, 8, func(m pattern.Member) { m.Calc(1000) })
	for cpus, want := range map[int]float64{1: 8000, 2: 4000, 3: 3000, 8: 1000, 100: 1000} {
		r := run(t, compute, Options{Machine: free, Share: &Share{CPUs: cpus}})
		assert.Equal(t, want, r.Time(), "%d CPUs", cpus)
	}
	r := run(t, compute, Options{Machine: free, Share: &Share{CPUs: 2, Slice: 100}})
	assert.Equal(t, 4000.0, r.Time())
	for _, f := range r.Finish { // in slices all end at about the same time
		assert.GreaterOrEqual(t, f, 3700.0)
	}
	assert.Equal(t, 3000.0, r.Ranks[7][Turn])

	// A rank that waits for a message leaves its CPU to the one that will send it.
	relay := program(t, 4, func(m pattern.Member) {
		if m.Rank == 3 {
			m.Calc(1000)
		} else {
			m.Recv(8, m.Rank+1)
		}
		if m.Rank > 0 {
			m.Send(8, m.Rank-1)
		}
	})
	r = run(t, relay, Options{Machine: free, Share: &Share{CPUs: 1, Slice: 100, Switch: 7}})
	assert.Equal(t, 1000.0+3*7, r.Time())

	// A rank keeps its CPU from one operation to the next, until its turn is over.
	busy := program(t, 2, func(m pattern.Member) {
		for range 10 {
			m.Calc(100)
		}
	})
	for slice, switches := range map[float64]float64{0: 1, 1000: 1, 500: 3, 450: 3, 400: 5, 50: 39} {
		r = run(t, busy, Options{Machine: free, Share: &Share{CPUs: 1, Slice: slice, Switch: 7}})
		assert.Equal(t, 2000+7*switches, r.Time(), "slices of %v ns", slice)
	}

	// One that becomes ready within a slice of another comes next, whether that one is one computation or several.
	for _, pieces := range []int{1, 20} {
		late := program(t, 2, func(m pattern.Member) {
			if m.Rank == 1 {
				m.Recv(8, 0)
				m.Calc(100)
				return
			}
			m.Send(8, 1)
			for range pieces {
				m.Calc(int64(2000 / pieces))
			}
		})
		slow := loggps.Single(loggps.Params{L: 120, Sync: 1 << 30, Packet: 1 << 30})
		r = run(t, late, Options{Machine: slow, Share: &Share{CPUs: 1, Slice: 500}})
		assert.Equal(t, []float64{2100, 600}, r.Finish, "%d computations", pieces)
	}

	// And it stays with its CPU: ranks 0 and 2 share one, though the other is idle.
	apart := program(t, 3, func(m pattern.Member) {
		if m.Rank != 1 {
			m.Calc(1000)
		}
	})
	assert.Equal(t, 2000.0, run(t, apart, Options{Machine: free, Share: &Share{CPUs: 2}}).Time())

	// Each node has CPUs of its own.
	free.RanksPerNode = 4
	free.Links = append(free.Links, free.Links[0])
	assert.Equal(t, 4000.0, run(t, compute, Options{Machine: free, Share: &Share{CPUs: 1}}).Time())
}

// Many operations that want one CPU do not take quadratic time: they are tried about once.
func TestLongQueues(t *testing.T) {
	const n = 20_000
	b := graph.NewBuilder(2)
	b.Rank(0)
	for range n {
		b.Add(graph.Op{Kind: graph.Send, Peer: 1, Size: 1})
	}
	b.Rank(1)
	for range n {
		b.Add(graph.Op{Kind: graph.Recv, Peer: 0, Size: 1})
	}
	g, err := b.Graph()
	require.NoError(t, err)
	for _, m := range []loggps.LogGOPS{{L: 5, Overhead: 2, Gap: 1, S: 1}, {L: 5, Overhead: 1, Gap: 2, S: 1}} {
		r := run(t, g, Options{Machine: loggps.Single(m.Params()), Mode: LogGOPS})
		assert.Equal(t, 2.0*(n-1)+m.L+2*m.Overhead, r.Time())
	}
	r := run(t, g, Options{Machine: loggps.Single(loggps.Params{L: 5, O: 2, Sync: 1, Packet: 1}),
		Share: &Share{CPUs: 1}})
	assert.Equal(t, 4.0*n, r.Time())
}

func TestBadOptions(t *testing.T) {
	g := program(t, 1, func(m pattern.Member) { m.Calc(1) })
	ok := loggps.Single(loggps.Params{})
	for want, opt := range map[string]Options{
		"no links":           {},
		"mode 7":             {Machine: ok, Mode: 7},
		"LogGOPS has one":    {Machine: loggps.Single(loggps.Params{Oss: 1}), Mode: LogGOPS},
		"more than 0":        {Machine: ok, Compute: -1},
		"factor NaN":         {Machine: ok, Compute: math.NaN()},
		"at least 1 CPU":     {Machine: ok, Share: &Share{}},
		"make slices longer": {Machine: ok, Compute: 1e10, Share: &Share{CPUs: 1, Slice: 1}},
		"factor +Inf":        {Machine: ok, Compute: math.Inf(1)},
		"leave out Record":   {Machine: ok, Share: &Share{CPUs: 1}, Record: true},
		"parameter L: -1":    {Machine: loggps.Single(loggps.Params{L: -1})},
		"s=0, S=-1":          {Machine: loggps.Single(loggps.Params{Sync: -1})},
	} {
		_, err := Run(g, opt)
		assert.ErrorContains(t, err, want)
	}
	_, err := run(t, g, Options{Machine: ok}).Path(0)
	assert.ErrorIs(t, err, ErrNotRecorded)
	_, err = ParseMode("logp")
	assert.ErrorContains(t, err, "there are loggps, loggops, loggp")
}
