package waits

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHotRankWithSlowMessages: messages that go to one rank, of which some are slow, are those of a hot rank at its own
// place, beside contention.
func TestHotRankWithSlowMessages(t *testing.T) {
	lane := func(to float64) []Piece {
		return []Piece{{To: to, Bytes: 1000, Messages: 1, Peer: 0, Place: 1, PeerPlace: 2, Activity: Calling}}
	}
	for range 50 { // in each order
		r := Analyze(&Run{Ranks: [][]Piece{nil, lane(100), lane(900)}, Places: []string{"", "send", "recv"}},
			func(int, int, int64) float64 { return 100 })
		require.Len(t, r.Findings, 2)
		require.Equal(t, Contention, r.Findings[0].Cause)
		hot := r.Findings[1]
		require.Equal(t, HotRank, hot.Cause)
		require.Equal(t, []int{0}, hot.Roots)
		require.Equal(t, []int{1, 2}, hot.Ranks)
		require.EqualValues(t, 2, hot.RootPlace)
		require.EqualValues(t, 1, hot.Place)
	}
}

// TestNothingHappens: in a part of a job no rank may do anything.
func TestNothingHappens(t *testing.T) {
	report := Analyze(&Run{Ranks: make([][]Piece, 2)}, nil)
	require.Empty(t, report.Findings)
}
