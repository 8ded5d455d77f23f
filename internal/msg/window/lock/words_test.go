package lock

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// There are four stripes a rank, within bounds.
func TestStripesFor(t *testing.T) {
	for ranks, stripes := range map[int]int{1: 64, 16: 64, 17: 128, 32: 128, 256: 1024, 257: 1024, 5000: 1024} {
		require.Equal(t, stripes, stripesFor(ranks), "%d ranks", ranks)
	}
}

// All words lie in Size bytes, and none on another.
func TestSize(t *testing.T) {
	const guard = 64 << 10
	_, all := sharedWords(t, 1)
	for _, ranks := range []int{1, 2, 16, 17, 63, 64, 65, 255, 256, 257, 511, 512, 513, 5000} {
		memory := make([]byte, Size(ranks)+guard)
		var w Words
		w.lay(all[0].own, 0, ranks, memory)
		require.Zero(t, Size(ranks)%cacheLine)
		fills := func(store func()) {
			before := len(memory) - zeros(memory)
			store()
			require.Equal(t, before+8, len(memory)-zeros(memory), "%d ranks", ranks)
		}
		fills(func() { w.head.everyone.Store(-1) })
		fills(func() { w.records[0].lock.Store(^uint64(0)) })
		fills(func() { w.records[ranks-1].held.Store(-1) })
		fills(func() { w.stripes[0].singles.Store(^uint64(0)) })
		bits := w.asleepBits()
		require.GreaterOrEqual(t, len(bits)*bitsOfWord, ranks)
		for i := range bits {
			fills(func() { bits[i].Store(^uint64(0)) })
		}
		require.Equal(t, guard, zeros(memory[Size(ranks):]))
	}
}

func zeros(b []byte) int { return bytes.Count(b, []byte{0}) }
