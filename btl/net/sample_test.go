package net

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// sampled is a device of a bandwidth, in a time of its own.
type sampled struct {
	sample
	now   time.Time
	speed float64 // bytes per second
}

// run sends pieces, of which it has three at a time, and then waits.
func (s *sampled) run(pieces, size int, wait time.Duration) {
	if size >= stretchLoad {
		s.begin(s.now)
	}
	for i := range pieces {
		s.now = s.now.Add(time.Duration(float64(size) / s.speed * 1e9))
		s.add(s.now, size, min(2, pieces-1-i)*size)
	}
	s.now = s.now.Add(wait)
}

// TestSample: a device with a bandwidth of 5 MB/s sends pieces of 40 ms, of which it has three at
// a time. What is measured is its bandwidth, however long it is busy. When it becomes slower
// that is known in time.
func TestSample(t *testing.T) {
	s := sampled{now: time.Now(), speed: 5e6}
	for _, pieces := range []int{1, 2, 5, 20, 100, 3, 50} {
		s.run(pieces, 200_000, time.Millisecond)
		require.InEpsilon(t, 5e6, s.rate(), 0.05, "%d pieces", pieces)
	}
	s.speed = 2.5e6
	s.run(40, 100_000, time.Millisecond)
	require.InEpsilon(t, 2.5e6, s.rate(), 0.05)
	require.Less(t, s.now.Sub(s.oldest()), sampleLife)

	s.begin(s.now)
	s.add(s.now.Add(time.Second), 1000, 0) // too little to say anything
	s.begin(s.now)
	s.drop()
	s.add(s.now.Add(time.Second), 1<<20, 0) // the path has failed
	require.InEpsilon(t, 2.5e6, s.rate(), 0.05)
}

// TestSampleOfShortStretches: exchanges of few bytes per device, between which the device waits
// for its rank while short messages are under way. The waits count for nothing.
func TestSampleOfShortStretches(t *testing.T) {
	for _, c := range []struct {
		pieces, size int
		wait         time.Duration
		known        bool
	}{
		{5, 12_500, 30 * time.Millisecond, true},
		{2, 12_000, 20 * time.Millisecond, true},
		{1, 20_000, 100 * time.Millisecond, true},
		{6, 6_000, time.Millisecond, true},
		{1, 70_000, time.Second, true},
		{1, 10_000, time.Millisecond, false}, // mostly a round trip
		{100, 1_000, time.Millisecond, false},
	} {
		s := sampled{now: time.Now(), speed: 6.25e6}
		for range 10 {
			s.run(c.pieces, c.size, c.wait)
			s.add(s.now, headSize, headSize)
			s.add(s.now, headSize, 0)
		}
		if !c.known {
			require.Zero(t, s.rate(), "%+v", c)
			continue
		}
		require.InEpsilon(t, 6.25e6, s.rate(), 0.01, "%+v", c)
	}
}
