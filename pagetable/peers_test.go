package pagetable

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSeparateAndShared(t *testing.T) {
	tests := []struct {
		ranks            int
		bytes            uint64
		separate, shared Count
	}{
		{0, 2 * mib, Count{}, Count{}},
		{-3, 2 * mib, Count{}, Count{}},
		{8, 0, Count{}, Count{}},
		{1, 2 * mib, Count{PTE: 1}, Count{PTE: 1}},
		{64, 2 * mib, Count{PTE: 64 * 64}, Count{PTE: 64}},
		{240, 2 * mib, Count{PTE: 240 * 240}, Count{PTE: 240}},
		{4, 512 * kib, Count{PTE: 4}, Count{PTE: 4}}, // four segments fit one PTE page
		// 512 segments of 2 MiB begin 2 MiB into a gigabyte, so the last one
		// opens the next.
		{512, 2 * mib, Count{PTE: 512 * 512, PMD: 512}, Count{PTE: 512}},
		{2, gib, Count{PTE: 2 * 1024, PMD: 2 * 2}, Count{PTE: 2 * 512, PMD: 2}},
	}
	for _, tt := range tests {
		require.Equal(t, tt.separate, Separate(tt.ranks, tt.bytes), "%d ranks, %d bytes", tt.ranks, tt.bytes)
		require.Equal(t, tt.shared, Shared(tt.ranks, tt.bytes), "%d ranks, %d bytes", tt.ranks, tt.bytes)
	}
}

// An absurd size must answer with a large number, not wrap to a small one, and
// not take long.
func TestAbsurdSizes(t *testing.T) {
	for _, ranks := range []int{1, 2, 1000, math.MaxInt} {
		for _, bytes := range []uint64{1 << 47, 1 << 63, math.MaxUint64} {
			require.Greater(t, Separate(ranks, bytes).KiB(), uint64(1<<27))
			require.GreaterOrEqual(t, Separate(ranks, bytes).KiB(), Shared(1, bytes).KiB())
		}
	}
}
