package net

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSample: a device with a bandwidth of 5 MB/s sends pieces of 40 ms, of which it has three at
// a time. What is measured is its bandwidth, however long it is busy. When it becomes slower
// that is known in time.
func TestSample(t *testing.T) {
	now := time.Now()
	var s sample
	run := func(pieces, size int, speed float64) {
		s.begin(now, 0)
		for i := range pieces {
			now = now.Add(time.Duration(float64(size) / speed * 1e9))
			s.add(now, size, min(2, pieces-1-i)*size)
		}
		now = now.Add(time.Millisecond)
	}
	for _, pieces := range []int{1, 2, 5, 20, 100, 3, 50} {
		run(pieces, 200_000, 5e6)
		require.InEpsilon(t, 5e6, s.rate(), 0.05, "%d pieces", pieces)
	}
	run(40, 100_000, 2.5e6)
	require.InEpsilon(t, 2.5e6, s.rate(), 0.05)
	require.Less(t, now.Sub(s.oldest()), sampleLife)
	s.begin(now, 0)
	s.add(now.Add(time.Second), 1000, 0) // too little to say anything
	require.InEpsilon(t, 2.5e6, s.rate(), 0.05)
}
