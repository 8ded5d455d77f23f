package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/loggps/pattern"
	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/graph"
	"github.com/gopvas/gopvas/loggps/internal/graphtest"
)

// incast is p messages of some bytes to rank 0.
func incast(t *testing.T, p int, bytes int64) *graph.Graph {
	t.Helper()
	return program(t, p+1, func(m pattern.Member) {
		if m.Rank > 0 {
			m.Send(bytes, 0)
			return
		}
		for from := range p {
			m.Recv(bytes, from+1)
		}
	})
}

// TestIncast: messages that come together take at least as long as their bytes on the wire. They take at most what the
// paper has each of them take.
func TestIncast(t *testing.T) {
	l, err := loggps.Preset("fast-ethernet")
	require.NoError(t, err)
	on := loggps.Single(l.Params)
	const wire = 80.0 // ns a byte, of 100 Mbit/s
	assert.Equal(t, run(t, incast(t, 1, 4000), Options{Machine: on}).Finish,
		run(t, incast(t, 1, 4000), Options{Machine: on, Unshared: true}).Finish, "one message is alone")
	for _, k := range []int64{1000, 4000, 100_000} {
		for _, p := range []int{2, 4, 16} {
			g, paper := incast(t, p, k), l.Params.Shared(p)
			took := run(t, g, Options{Machine: on, Record: true}).Time()
			work := paper.RecvTime(k, 1e12) // of the receiver, for each message
			assert.Greater(t, took, wire*float64(p)*float64(k), "%d messages of %d bytes", p, k)
			assert.Less(t, took, paper.CommTime(k, 0)+float64(p)*work, "%d messages of %d bytes", p, k)
			if k == 4000 {
				assert.Less(t, run(t, g, Options{Machine: on, Unshared: true}).Time(), took)
			}
		}
	}
	other := loggps.LogGOPS{L: 9, Overhead: 1, GapByte: 3, S: 1 << 30}
	gops := Options{Machine: loggps.Single(other.Params()), Mode: LogGOPS}
	before := run(t, incast(t, 4, 4000), gops)
	gops.Unshared = true
	assert.Equal(t, run(t, incast(t, 4, 4000), gops).Finish, before.Finish, "LogGOPSim knows no wires")
}

// TestWires: each rank of a node has the bandwidth of its memory, and the ranks of a node share that of a device.
func TestWires(t *testing.T) {
	link := loggps.Link{Params: loggps.Params{L: 10, O: 1, Gs: 5, Packet: 1 << 30, Sync: 1 << 30}}
	m := loggps.Machine{RanksPerNode: 2, Links: []loggps.Link{link, link}}
	at := func(sends [][2]int) float64 {
		b := graph.NewBuilder(8)
		for rank := range 8 {
			c := b.Calls(rank)
			for _, s := range sends {
				switch rank {
				case s[0]:
					c.Isend(1000, s[1])
				case s[1]:
					c.Recv(1000, s[0])
				}
			}
		}
		g, err := b.Graph()
		require.NoError(t, err)
		return run(t, g, Options{Machine: m}).Time()
	}
	alone := at([][2]int{{2, 0}})
	assert.Equal(t, alone, at([][2]int{{0, 1}, {2, 3}, {4, 5}}))
	assert.Equal(t, alone, at([][2]int{{0, 1}, {2, 0}}), "from within and from outside")
	assert.Equal(t, alone, at([][2]int{{0, 2}, {1, 4}}), "to two nodes")
	assert.InDelta(t, alone+5000, at([][2]int{{2, 0}, {4, 1}}), 2, "to two ranks of a node")
}

// TestWiresInOrder: messages have the wire in the order of their first bytes. The receiver has asked for the data of
// the long one, a rendezvous, before.
func TestWiresInOrder(t *testing.T) {
	p := loggps.Params{L: 1000, O: 100, Oss: 0.01, Osl: 1, Gs: 1, Gl: 1, Packet: 1 << 30, Sync: 2000}
	const long, short = 100_000, 1000
	ends := func(wait int64, both bool) (ofLong, ofShort float64) {
		b := graph.NewBuilder(3)
		c := b.Calls(0)
		waits := []graph.ID{c.Irecv(long, 1), c.Irecv(short, 2)}
		c.Wait(waits...)
		b.Calls(1).Send(long, 0)
		c = b.Calls(2)
		c.Calc(wait)
		c.Send(short, 0)
		g, err := b.Graph()
		require.NoError(t, err)
		r := run(t, g, Options{Machine: loggps.Single(p), Unshared: !both})
		return r.End(waits[0]), r.End(waits[1])
	}
	first, second := 0, 0
	for wait := int64(0); wait < 2*long; wait += 777 {
		longAlone, shortAlone := ends(wait, false)
		ofLong, ofShort := ends(wait, true)
		if shortAlone-short < longAlone-long {
			first++
			require.InDelta(t, shortAlone, ofShort, 1e-6, "it came before, %d", wait)
		} else {
			second++
			require.InDelta(t, longAlone, ofLong, 1e-6, "it came before, %d", wait)
		}
	}
	require.Greater(t, min(first, second), 50)
}

// TestPathsOfWires: the critical path is as long as the rank, though messages waited for wires.
func TestPathsOfWires(t *testing.T) {
	rng := testkit.Rand(t)
	waited, behind := 0, 0
	for range 200 {
		g := graphtest.Random(rng, graphtest.Shape{Ranks: 4, Messages: 60, Size: 20_000, Calc: 5000, CPUs: 2})
		p := randomParams(rng)
		r := run(t, g, Options{Machine: loggps.Single(p), Record: true, Mode: []Mode{LogGPS, logGP}[rng.IntN(2)]})
		waited += len(r.queued)
		behind += len(r.gone)
		for rank := range g.Ranks() {
			path, err := r.Path(rank)
			require.NoError(t, err)
			if len(path) > 0 {
				assert.InEpsilon(t, r.Finish[rank], path[len(path)-1].To, 1e-9)
			}
		}
	}
	assert.Positive(t, min(waited, behind))
}

// TestGapOfSender: in LogGP n messages of k bytes from one rank take o + n k G + L + o, whoever receives them. The
// ranks of a node share its device.
func TestGapOfSender(t *testing.T) {
	const n, k, alone = 4, 1000, 2*100.0 + 2000
	p := loggps.Params{L: 2000, O: 100, Gs: 3, Gl: 3, Packet: 1 << 30, Sync: 10}
	mode, err := ParseMode("loggp")
	require.NoError(t, err)
	scatter := func(senders int) *graph.Graph {
		return program(t, senders+n, func(m pattern.Member) {
			for to := senders; to < m.Ranks; to++ {
				switch {
				case m.Rank == to:
					m.Recv(k, (to-senders)%senders)
				case m.Rank == (to-senders)%senders:
					m.Send(k, to)
				}
			}
		})
	}
	opt := Options{Machine: loggps.Single(p), Mode: mode}
	assert.InDelta(t, alone+n*k*p.Gs, run(t, scatter(1), opt).Time(), 1e-6)
	assert.InDelta(t, alone+n/2*k*p.Gs, run(t, scatter(2), opt).Time(), 1e-6, "two ranks send")
	link := loggps.Link{Params: p}
	opt.Machine = loggps.Machine{Links: []loggps.Link{link, link}, Nodes: []int{0, 0, 1, 2, 3, 4}}
	assert.InDelta(t, alone+n*k*p.Gs, run(t, scatter(2), opt).Time(), 1e-6, "by one device")
	opt.Unshared = true
	assert.InDelta(t, alone+k*p.Gs+p.O, run(t, scatter(2), opt).Time(), 1e-6)
}

// TestIdeal: what is left without the cost of messages is computation.
func TestIdeal(t *testing.T) {
	g := program(t, 2, func(m pattern.Member) {
		m.Calc(int64(1000 * (1 + m.Rank)))
		m.PingPong(100, 1)
	})
	l, err := loggps.Preset("myrinet")
	require.NoError(t, err)
	assert.Equal(t, 2000.0, run(t, g, Options{Machine: loggps.Single(l.Params), Ideal: true}).Time())
}
