package board

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSlotsOfABoardAreBounded: however many members there are.
func TestSlotsOfABoardAreBounded(t *testing.T) {
	for _, size := range []int{2, 16, 64, 240, 1000, 2000} {
		for _, crowded := range []bool{false, true} {
			many := Members{Size: size, Oversubscribed: crowded}
			slots, pieces, piece := size*many.slotCount(), size*many.pieceCount(), many.PieceSize()
			require.GreaterOrEqual(t, many.slotCount(), 2)
			require.GreaterOrEqual(t, piece, ShortSlot)
			require.True(t, many.Slotted(Eager))
			require.Zero(t, many.slotCount()%many.pieceCount())
			require.LessOrEqual(t, slots, max(boardSlots, 2*size))
			require.LessOrEqual(t, pieces*piece, max(boardPiece, pieces*ShortSlot), "%d members", size)
		}
	}
}
