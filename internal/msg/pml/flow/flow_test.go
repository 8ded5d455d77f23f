package flow

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// op is what tests have of an operation.
type op struct {
	transfer Transfer[op]
	name     string
	to       int32
	ready    bool // its transfer is done when it is asked
	asked    *[]string
	over     bool
}

func (o *op) Progress() (bool, error) {
	if o.asked != nil {
		*o.asked = append(*o.asked, o.name)
	}
	return o.ready, nil
}

func newOp(name string) *op {
	o := &op{name: name}
	o.transfer.Init(o)
	return o
}

// TestWider: what a wait asks beside its looks is less than twice what these ask, however long it
// lasts, and more each time.
func TestWider(t *testing.T) {
	last, sum := 0, 0
	for looks := range 100_000 {
		if n := Wider(looks); n > 0 {
			require.Greater(t, n, last)
			last, sum = n, sum+n
		}
		require.LessOrEqual(t, sum, 2*Batch*looks)
	}
	require.Equal(t, Batch<<16, last)
}

// TestAllSendsAreAsked: the last look before a rank sleeps asks all sends, wherever the turn of the peers
// is and whichever of them are done.
func TestAllSendsAreAsked(t *testing.T) {
	const peers = 4
	for turn := range peers {
		for done := range 1 << peers {
			s := Sends[op]{turn: turn}
			var ops [peers]*op
			for i := range ops {
				ops[i] = newOp("")
				ops[i].ready = done>>i&1 == 1
				s.Start(int32(i), &ops[i].transfer, ops[i], false)
			}
			s.Advance(math.MaxInt, func(o *op, _ error) { o.over = true })
			for i, o := range ops {
				require.Equal(t, done>>i&1 == 1, o.over, "peer %d, turn %d, done %b", i, turn, done)
			}
		}
	}
}

func TestBudget(t *testing.T) {
	b := Budget{Limit: 100, Cost: 10}
	require.True(t, b.Fits(90))
	require.False(t, b.Fits(91))
	b.Take(40)
	require.True(t, b.Used())
	require.True(t, b.Fits(40))
	require.False(t, b.Fits(41))
	b.Give(40)
	require.False(t, b.Used())
}

func TestSpares(t *testing.T) {
	var s Spares
	b := s.Take(100)
	s.Keep(b)
	again := s.Take(50)
	require.Equal(t, &b[0], &again[0], "it is used again")
	s.Keep(again)
	require.Len(t, s.Take(101), 101)
	for range 2 * mostSpares {
		s.Keep(make([]byte, 1))
	}
	require.Len(t, s.list, mostSpares)
}
