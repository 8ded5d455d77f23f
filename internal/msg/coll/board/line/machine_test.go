//go:build caches

package line

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The lines of a line's way through the caches of four cores in three domains of two nodes.
func TestLinesCross(t *testing.T) {
	m := NewMachine(1, []Place{{0, 0}, {0, 0}, {1, 0}, {2, 1}})
	var w struct {
		_ [size]byte
		v Uint64
		_ [size]byte
	}
	for _, s := range []struct {
		core  int
		write bool
		want  Count
	}{
		{0, true, Count{}},            // from memory
		{0, true, Count{}},            // has it
		{1, false, Count{Within: 1}},  // of its domain
		{2, false, Count{Crossed: 1}}, // of its node
		{2, false, Count{}},
		{3, false, Count{Crossed: 1, Nodes: 1}},
		{1, true, Count{Invalidated: 1}}, // core 1 has it, as two other domains do
		{0, true, Count{Within: 1}},      // core 1 alone has it
		{3, true, Count{Crossed: 1, Nodes: 1}},
		{3, false, Count{}},
		{0, false, Count{Crossed: 1, Nodes: 1}},
		{2, false, Count{Crossed: 1}}, // the node has it again
		{1, true, Count{Within: 1, Invalidated: 1}},
	} {
		m.Count = Count{}
		m.Run(func(core int) {
			if core == s.core && s.write {
				w.v.Store(1)
			} else if core == s.core {
				w.v.Load()
			}
		})
		require.Equal(t, s.want, m.Count, "%+v", s)
	}
}

// Cores that wait for one another all get on.
func TestCoresTakeTurns(t *testing.T) {
	m := NewMachine(2, make([]Place, 5))
	var w Int64
	m.Run(func(core int) {
		for w.Load() != int64(core) {
		}
		w.Add(1)
	})
	require.Equal(t, int64(5), w.Load())
	require.NotZero(t, m.Within)
	require.Zero(t, m.Crossed)
}

// Bytes take as many lines as they touch.
func TestLinesOfBytes(t *testing.T) {
	m := NewMachine(3, []Place{{0, 0}, {1, 1}})
	b := make([]byte, 10*size)
	m.Run(func(core int) {
		if core == 0 {
			WritesBytes(b)
		}
	})
	m.Run(func(core int) {
		if core == 1 {
			ReadsBytes(b)
		}
	})
	require.Equal(t, Count{Crossed: 10, Nodes: 10}, m.Count)
}
