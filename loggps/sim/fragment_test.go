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

// lateWith is a program of two ranks, of which the receiver is late, and which sends and receives as given.
func lateWith(t *testing.T, blocking bool, sizes ...int64) *graph.Graph {
	return program(t, 2, func(m pattern.Member) {
		if m.Rank == 1 {
			m.Calc(1_000_000)
		}
		var pending []graph.ID
		for _, k := range sizes {
			switch {
			case m.Rank == 0 && blocking:
				m.Send(k, 1)
			case m.Rank == 0:
				pending = append(pending, m.Isend(k, 1))
			case blocking:
				m.Recv(k, 0)
			default:
				pending = append(pending, m.Irecv(k, 0))
			}
		}
		if len(pending) > 0 {
			m.Wait(pending...)
		}
		m.Calc(500_000)
	})
}

// TestFragment: a program whose messages are cut is the one that sends the pieces.
func TestFragment(t *testing.T) {
	l, err := loggps.Preset("myrinet")
	require.NoError(t, err)
	opt := Options{Machine: loggps.Single(l.Params)}
	for _, blocking := range []bool{false, true} {
		whole := lateWith(t, blocking, 40_000)
		cut, err := pattern.Fragment(whole, 16_000, func(id graph.ID) int64 { return whole.Op(id).Size })
		require.NoError(t, err)
		pieces := run(t, lateWith(t, blocking, 16_000, 16_000, 8_000), opt)
		assert.Equal(t, pieces.Finish, run(t, cut, opt).Finish, "blocking %v", blocking)
		assert.Less(t, pieces.Finish[0], run(t, whole, opt).Finish[0], "no sender waits, blocking %v", blocking)
	}
	rng := testkit.Rand(t)
	for range 50 {
		g := graphtest.Random(rng, graphtest.Shape{Ranks: 4, Messages: 60, Size: 2000, Calc: 5000, CPUs: 2})
		most := 1 + rng.Int64N(500)
		r := run(t, g, opt)
		cut, err := pattern.Fragment(g, most, func(id graph.ID) int64 {
			if g.Op(id).Kind.Receives() {
				id = r.Mate(id)
			}
			return g.Op(id).Size
		})
		require.NoError(t, err)
		bytes := func(g *graph.Graph) (sum, longest int64) {
			for id := range graph.ID(g.Len()) {
				if op := g.Op(id); op.Kind.Sends() {
					sum, longest = sum+op.Size, max(longest, op.Size)
				}
			}
			return sum, longest
		}
		before, _ := bytes(g)
		after, longest := bytes(cut)
		assert.Equal(t, before, after)
		assert.LessOrEqual(t, longest, most)
		run(t, cut, opt)
	}
}
