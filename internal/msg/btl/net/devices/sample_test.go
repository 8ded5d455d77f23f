package devices

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
	acked uint64
}

// run sends pieces, of which it has three at a time, and then waits.
func (s *sampled) run(pieces, size int, wait time.Duration) {
	if size >= stretchLoad {
		s.begin(s.now, s.acked)
	}
	for i := range pieces {
		s.now = s.now.Add(time.Duration(float64(size) / s.speed * 1e9))
		s.acked += uint64(size)
		s.add(s.now, s.acked, size, min(2, pieces-1-i)*size)
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

	s.begin(s.now, s.acked)
	s.add(s.now.Add(time.Second), s.acked+1000, 1000, 0) // too little to say anything
	s.begin(s.now, s.acked)
	s.drop()
	s.add(s.now.Add(time.Second), s.acked+1<<20, 1<<20, 0) // the path has failed
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
			const short = 52 // bytes of an offer
			s.acked += 2 * short
			s.add(s.now, s.acked, short, short)
			s.add(s.now, s.acked, short, 0)
		}
		if !c.known {
			require.Zero(t, s.rate(), "%+v", c)
			continue
		}
		require.InEpsilon(t, 6.25e6, s.rate(), 0.01, "%+v", c)
	}
}

// TestSampleOfSeveralPeers: a device sends to two peers at a time, to each two pieces, one after the
// other, at rates that change. Pieces that were begun before a rate do not make it higher.
func TestSampleOfSeveralPeers(t *testing.T) {
	const size, tick = 64 << 10, 1400 // bytes, in a millisecond
	s := sampled{now: time.Now()}
	s.begin(s.now, 0)
	var left [2]int // of the piece that is being sent
	for i := range 10_000 {
		s.now = s.now.Add(time.Millisecond)
		s.acked += tick
		first := tick / 8
		if i/300%2 == 0 {
			first = tick - first
		}
		for peer, n := range [2]int{first, tick - first} {
			if left[peer] -= n; left[peer] <= 0 {
				left[peer] += size
				s.add(s.now, s.acked, size, 3*size)
			}
		}
		require.LessOrEqual(t, s.rate(), 1.41e6)
	}
	require.InEpsilon(t, 1.4e6, s.rate(), 0.01)
}

// TestSampleOfRest: acknowledgements are of many packets. What is left of a stretch behind a rate is too
// short for another one.
func TestSampleOfRest(t *testing.T) {
	const speed, late = 5_000_000, 24 << 10
	s := sampled{now: time.Now()}
	at := func(after time.Duration, unseen uint64, underWay int) {
		acked := s.acked + uint64(after.Seconds()*speed) - unseen
		s.add(s.now.Add(after), acked, 64<<10, underWay)
	}
	s.begin(s.now, s.acked)
	at(sampleTime+time.Millisecond, late, 150_000)
	at(sampleTime+30*time.Millisecond, 0, 0)
	require.LessOrEqual(t, s.rate(), 1.01*speed)
	require.InEpsilon(t, speed, s.rate(), 0.03)
}
