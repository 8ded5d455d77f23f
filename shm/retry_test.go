package shm

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRetryEnds: a reader whose every look takes long, as others want its CPU, does not make all of them.
func TestRetryEnds(t *testing.T) {
	looks := 0
	require.False(t, Retry(func() bool {
		looks++
		time.Sleep(retryTime / 4)
		return false
	}))
	require.LessOrEqual(t, looks, 6)
	second := true
	require.True(t, Retry(func() bool { second = !second; return second }))
}
