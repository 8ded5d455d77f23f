package model

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestWhileTimeShares: calls that take longer than they are told, by no more than a share, are all made.
func TestWhileTimeShares(t *testing.T) {
	const n, limit = 20, 40 * time.Second
	for _, fixed := range []time.Duration{0, 100 * time.Millisecond, time.Second, 1900 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			calls, start := 0, time.Now()
			require.NoError(t, whileTime(limit, n, func(share time.Duration) error {
				calls++
				time.Sleep(fixed + share)
				return nil
			}))
			require.Equal(t, n, calls, "%v each", fixed)
			require.InDelta(t, limit, time.Since(start), float64(limit)/n, "%v each", fixed)
		})
	}
}

// Repeated calls end once the time is over; there is one at least.
func TestWhileTime(t *testing.T) {
	failed := errors.New("failed")
	for _, c := range []struct {
		limit time.Duration
		fails int
		want  int
	}{{time.Hour, 0, 5}, {0, 0, 1}, {time.Hour, 2, 2}} {
		calls := 0
		err := whileTime(c.limit, 5, func(time.Duration) error {
			if calls++; calls == c.fails {
				return failed
			}
			return nil
		})
		require.Equal(t, c.want, calls)
		require.Equal(t, c.fails > 0, errors.Is(err, failed))
	}
}
