package waits

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/loggps/pattern"
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/graph"
	"github.com/gopvas/gopvas/loggps/sim"
)

// waited is how long ranks wait at each place of a program, as predicted.
func waited(t *testing.T, opt sim.Options, ranks int, program func(pattern.Member)) (map[uint32]float64, *Report) {
	t.Helper()
	g, err := pattern.Program(ranks, program)
	require.NoError(t, err)
	var w Watch
	opt.Watch = w.Piece
	r, err := sim.Run(g, opt)
	require.NoError(t, err)
	report := Analyze(w.Predicted(r, nil, func(id graph.ID) uint32 { return g.Op(id).Site }), nil)
	places := map[uint32]float64{}
	for _, row := range report.Waits {
		places[row.Place] += row.Waited
	}
	return places, report
}

func TestPredicted(t *testing.T) {
	for _, mode := range []sim.Mode{sim.LogGPS, sim.LogGOPS} {
		p := loggps.LogGOPS{L: 100, Overhead: 10, S: 100}.Params()
		places, report := waited(t, sim.Options{Machine: loggps.Single(p), Mode: mode}, 2, func(m pattern.Member) {
			for range 3 {
				if m.Site = 10; m.Rank == 0 {
					m.Calc(1_000_000)
					m.Site = 11
					m.Send(8, 1)
				} else {
					m.Site = 12
					m.Recv(8, 0)
				}
			}
		})
		require.Len(t, places, 1)
		assert.InDelta(t, 3_000_000, places[12], 1000)
		require.Len(t, report.Waits, 1)
		assert.Equal(t, Wait{Place: 12, Cause: LateSender, Peer: 0, PeerPlace: 11, Root: 0, RootPlace: 10,
			RootDoes: Computing, Count: 3, Waited: report.Waits[0].Waited}, report.Waits[0])
		assert.InDelta(t, 3_000_000, report.Ranks[0].Computed, 1)
	}
}

// A Wait costs waiting where it stands, whatever comes behind it: a computation, a receive, another Wait, or nothing.
func TestWaitsOfRequests(t *testing.T) {
	p := loggps.Params{L: 100, O: 10, Sync: 100, Packet: 100}
	for _, share := range []*sim.Share{nil, {CPUs: 2}} {
		places, _ := waited(t, sim.Options{Machine: loggps.Single(p), Share: share}, 2, func(m pattern.Member) {
			if m.Rank == 0 {
				for range 6 {
					m.Calc(1_000_000)
					m.Tag++
					m.Send(8, 1)
				}
				return
			}
			var requests []graph.ID
			for _, m.Tag = range []int32{1, 2, 3, 5, 6} {
				requests = append(requests, m.Irecv(8, 0))
			}
			m.Site = 10
			m.Wait(requests[0])
			m.Site = 11
			m.Calc(10)
			m.Site = 12
			m.Wait(requests[1])
			m.Site = 13
			m.Wait(requests[2])
			m.Site, m.Tag = 14, 4
			m.Recv(8, 0)
			m.Site = 15
			m.Wait(requests[3])
			m.Site = 16
			m.Wait(requests[4])
		})
		for place := uint32(10); place <= 16; place++ {
			want := 1e6
			if place == 11 {
				want = 0
			}
			assert.InDelta(t, want, places[place], 1000, "place %d of %v", place, places)
		}
	}
}

// Who waits for a rank that waits itself blames the one that computes.
func TestBlame(t *testing.T) {
	_, report := waited(t, sim.Options{Machine: loggps.Single(loggps.Params{Sync: 100})}, 4, func(m pattern.Member) {
		if m.Rank == 0 {
			m.Site = 5
			m.Calc(1_000_000)
		} else {
			m.Recv(8, m.Rank-1)
		}
		m.Send(8, (m.Rank+1)%m.Ranks)
		if m.Rank == 0 {
			m.Recv(8, m.Ranks-1)
		}
	})
	require.Len(t, report.Waits, 3)
	for _, w := range report.Waits {
		assert.Equal(t, 0, w.Root)
		assert.EqualValues(t, 5, w.RootPlace)
	}
	assert.Equal(t, []Finding{
		{Cause: Imbalance, Roots: []int{0}, RootPlace: 5, Ranks: []int{1, 2, 3}, Lost: 3_000_000},
		{Cause: LateSender, Roots: []int{0}, RootPlace: 5, Ranks: []int{1, 2, 3}, Lost: 3_000_000, Calls: 3},
	}, []Finding{report.Findings[1], report.Findings[0]})
}

func TestEfficiencies(t *testing.T) {
	e := Efficiencies([]Times{{Computed: 40}, {Computed: 80}}, 160, 100)
	assert.Equal(t, Efficiency{0.75, 0.8, 0.625}, e)
	assert.InDelta(t, 120.0/320, e.Parallel(), 1e-9)
	assert.Zero(t, Efficiencies([]Times{{}}, 0, 0))
}

// TestManyWaits: however many waits there are, each has its own shares, also when a run is analysed again.
func TestManyWaits(t *testing.T) {
	const waits, half = 3 * blockSize, 50.0
	r := &Run{Ranks: make([][]Piece, 2)}
	for i := range waits {
		at := float64(100 * i)
		busy := Piece{From: at + half, To: at + half + 1, Place: uint32(i%7 + 1), Activity: Calling, Peer: -1}
		late := Piece{From: at, To: at + half + 2, Late: at + half + 1, Place: 9, Activity: Calling, Peer: int32(i % 2),
			Cause: LateSender}
		me := 1 - i%2
		r.Ranks[1-me], r.Ranks[me] = append(r.Ranks[1-me], busy), append(r.Ranks[me], late)
	}
	first := Analyze(r, nil)
	assert.Equal(t, first, Analyze(r, nil))
	sum := map[uint32]int{}
	for _, w := range first.Waits {
		assert.Equal(t, w.Peer, w.Root)
		sum[w.RootPlace] += w.Count
	}
	for place := range uint32(7) {
		assert.InDelta(t, waits/7, sum[place+1], 1, "%v", sum)
	}
}
