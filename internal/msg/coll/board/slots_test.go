package board

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSlotsOfABoardAreBounded: however many members there are.
func TestSlotsOfABoardAreBounded(t *testing.T) {
	for _, size := range []int{2, 16, 64, 240, 1000, 2000} {
		for _, crowded := range []bool{false, true} {
			many := New(Members{Size: size, Oversubscribed: crowded, Flat: true}, nil)
			c := many.capacity
			require.GreaterOrEqual(t, c.slotCount, 2)
			require.GreaterOrEqual(t, c.pieceBytes, ShortSlot)
			require.True(t, many.Slotted(Eager))
			require.Zero(t, c.slotCount%c.pieceCount)
			require.LessOrEqual(t, size*c.slotCount, max(boardSlots, 2*size))
			pieces := size * c.pieceCount
			require.LessOrEqual(t, pieces*c.pieceBytes, max(boardPiece, pieces*ShortSlot), "%d members", size)
		}
	}
}
