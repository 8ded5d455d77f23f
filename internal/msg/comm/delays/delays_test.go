package delays

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The delays of a seed and a rank are the same in each run, and others have others.
func TestSeedRepeats(t *testing.T) {
	draw := func(seed uint64, rank int) (list []time.Duration) {
		d := New(seed, rank)
		d.Wait = func(t time.Duration) { list = append(list, t) }
		for range 100 {
			d.Pause()
		}
		return list
	}
	first := draw(1, 0)
	require.Equal(t, first, draw(1, 0))
	require.NotEqual(t, first, draw(1, 1))
	require.NotEqual(t, first, draw(2, 0))
	require.Less(t, len(first), 100, "some calls do not wait")
	var slowest time.Duration
	for rank := range 100 {
		for _, d := range draw(3, rank) {
			require.Positive(t, d)
			slowest = max(slowest, d)
		}
	}
	require.Greater(t, slowest, time.Millisecond)
	require.Less(t, slowest, time.Microsecond<<longest)
	(*Delays)(nil).Pause()
}
