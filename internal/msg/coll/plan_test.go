package coll

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll/board"
)

// All members have about as much to do: pieces differ by a cache line, and each member has as many, unless
// they were too short or are many.
func TestPiecesAreLevel(t *testing.T) {
	op := &Op{Size: 8}
	for _, c := range []struct {
		kind         Kind
		size, length int
		op           *Op
		pieces       int
	}{
		{Allreduce, 2, 4 << 10, op, 1},
		{Allreduce, 2, 8 << 10, op, 2},
		{Allreduce, 2, 16 << 10, op, 2},
		{Allreduce, 2, 50_000, op, 4},
		{Allreduce, 6, 20_000, op, 2},
		{Allreduce, 6, 30_000, op, 6},
		{Allreduce, 6, 1 << 20, op, 64},
		{Allreduce, 2, 48_000, &Op{Size: 24}, 4},
		{Bcast, 2, 100_000, nil, 4},
		{Bcast, 16, 8 << 10, nil, 2},
	} {
		team := &Team{Size: c.size}
		team.board = new(board.Board)
		team.args.Kind, team.args.Op, team.size = c.kind, c.op, c.length
		p, units := team.makePlan(0)
		require.Equal(t, c.pieces, units, "%+v: %+v", c, p)
		last := c.length - (p.Pieces-1)*p.Chunk
		require.Positive(t, last, "%+v", c)
		require.LessOrEqual(t, last, p.Chunk, "%+v", c)
		require.Less(t, p.Chunk-last, p.Pieces*lineSize, "%+v: %+v", c, p)
		if c.op != nil {
			require.Zero(t, p.Chunk%c.op.Size, "%+v", c)
		}
	}
}
