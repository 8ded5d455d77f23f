package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What is left goes down while a step is being done, and stands still while that takes
// longer than the others did; before anything is done, nothing is known.
func TestPace(t *testing.T) {
	p := pace{total: 10, start: time.Unix(1000, 0)}
	at := func(seconds int) time.Time { return p.start.Add(time.Duration(seconds) * time.Second) }
	left := func(seconds int) int {
		rest, known := p.left(at(seconds))
		require.True(t, known)
		return int(rest / time.Second)
	}
	p.begin(2, at(0))
	_, known := p.left(at(5))
	require.False(t, known)
	p.begin(3, at(6)) // 3 s for each of the first two
	require.Equal(t, 24, left(6))
	require.Equal(t, 20, left(10))
	require.Equal(t, 15, left(20), "the last five")
	p.begin(5, at(20)) // 4 s for each of the first five
	require.Equal(t, 20, left(20))
	require.Equal(t, 0, left(50))
}
