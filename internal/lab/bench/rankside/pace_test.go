package rankside

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPaceMore(t *testing.T) {
	p := Pace{100, 10 * time.Second}
	for _, c := range []struct {
		done  int
		spent time.Duration
		want  int
	}{
		{1, time.Millisecond, 1},        // as many as there have been
		{1, 0, 1},                       // faster than the clock
		{64, 64 * time.Millisecond, 36}, // what is left of the repetitions
		{8, 8 * time.Second, 2},         // what fits into the time
		{8, 10 * time.Second, 0},
		{8, 12 * time.Second, 0},
		{100, time.Millisecond, 0},
	} {
		require.Equal(t, c.want, p.More(c.done, c.spent), "%+v", c)
	}
}
