package bench

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFootprintPortions(t *testing.T) {
	for _, c := range []struct {
		done  int
		spent time.Duration
		want  int
	}{
		{1, time.Millisecond, 1},        // as many as there have been
		{64, 64 * time.Millisecond, 36}, // what is left of the repetitions
		{8, 8 * time.Second, 2},         // what fits into the time
		{8, 10 * time.Second, 0},
		{8, 12 * time.Second, 0},
		{100, time.Millisecond, 0},
	} {
		f := &footprint{repetitions: 100, limit: 10 * time.Second, spent: c.spent}
		require.Equal(t, c.want, f.next(c.done), "%+v", c)
	}
}
