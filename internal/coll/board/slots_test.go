package board

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSlotsOfABoardAreBounded: however many members there are.
func TestSlotsOfABoardAreBounded(t *testing.T) {
	for _, size := range []int{2, 16, 64, 240, 1000, 2000} {
		many := Members{Size: size}
		slots, piece := size*many.slotCount(), many.pieceSize()
		require.GreaterOrEqual(t, many.slotCount(), 2)
		require.GreaterOrEqual(t, piece, ShortSlot)
		require.LessOrEqual(t, slots, max(boardSlots, 2*size))
		require.LessOrEqual(t, slots*piece, max(boardPiece, slots*ShortSlot), "%d members", size)
	}
}
