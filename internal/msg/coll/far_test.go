package coll

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/coll/colltest"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// TestFarApart: places beyond 4 GiB, in memory of which hardly anything is touched.
func TestFarApart(t *testing.T) {
	const ranks, length, unit, part = 3, 13 << 30, 8, 1000
	counts, displs := []int{part, part, part}, []int{0, (12 << 30) / unit, (5 << 30) / unit}
	for _, maker := range colltest.Worlds {
		at, err := sys.Mmap(0, length, sys.ProtRead|sys.ProtWrite,
			sys.MapPrivate|sys.MapAnonymous|sys.MapNoReserve, -1, 0)
		require.NoError(t, err)
		far := Buffer{Data: cad.BytesAt(uint64(at), length), Counts: counts, Displs: displs, Unit: unit}
		root, rankOf := maker.Start(t, ranks, 2)
		for rank, err := range run(t, root, rankOf, func(w *Team) error {
			mine := bytes.Repeat([]byte{byte(w.Rank + 1)}, part*unit)
			gather := Args{Kind: Gather, Root: 1, Irregular: true, Send: Buffer{Data: mine}}
			scatter := Args{Kind: Scatter, Root: 1, Irregular: true, Recv: Buffer{Data: make([]byte, len(mine))}}
			if w.Rank == 1 {
				gather.Recv, scatter.Send = far, far
			}
			if err := w.Run(&gather); err != nil {
				return err
			}
			if err := w.Run(&scatter); err != nil {
				return err
			}
			if !bytes.Equal(scatter.Recv.Data, mine) {
				return fmt.Errorf("rank %d has not got its part back", w.Rank)
			}
			return nil
		}) {
			require.NoError(t, err, "rank %d", rank)
		}
		for rank := range ranks {
			require.Equal(t, byte(rank+1), far.Part(rank)[part*unit-1])
		}
		require.NoError(t, sys.Munmap(at, length))
	}
}
