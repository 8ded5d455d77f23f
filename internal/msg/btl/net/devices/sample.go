package devices

import (
	"slices"
	"time"
)

// sample measures the rate at which bytes are acknowledged in stretches: the times in which at least
// stretchLoad bytes are under way. Outside of them the device waits for the ranks, though short
// messages such as offers and grants may be under way. Stretches are added up until they suffice
// for a rate.
//
// Bytes count when they are acknowledged, not when their piece is done. Pieces to several peers overlap: a
// rate of whole pieces would be up to twice that of the device.
//
// Most often it is not the device that slows a transfer down, but other traffic or a busy CPU. So
// the rate is the highest of the last ones. Until a device is known to be slow, steal relieves it.
type sample struct {
	last [4]float64   // rates, bytes per second
	at   [4]time.Time // of them
	n    int

	took  time.Duration // by the stretches before this one
	bytes int           // acknowledged in them

	start time.Time // of this stretch, or of what counts of it; zero: it does not count
	base  uint64    // bytes that the device had acknowledged then
	rest  bool      // it is what follows a rate: bytes that had come before may be acknowledged in it
}

// A rate is taken of so many bytes at least: at the end of a stretch, or after so long.
const (
	sampleTime  = 250 * time.Millisecond
	sampleLeast = 64 << 10
	sampleLife  = 2 * time.Second // of what makes a device slower than others

	stretchLoad  = 4 << 10
	stretchLeast = 16 << 10 // a stretch of less is mostly a round trip
)

// rate is the bandwidth in bytes per second, 0 if it is not known.
func (s *sample) rate() float64 { return slices.Max(s.last[:]) }

// oldest is when the first of the last rates was taken, long ago if there are too few.
func (s *sample) oldest() time.Time { return s.at[s.n%len(s.at)] }

// begin begins a stretch, when so many bytes were acknowledged in all.
func (s *sample) begin(now time.Time, acknowledged uint64) {
	s.start, s.base, s.rest = now, acknowledged, false
}

// drop has the rest of this stretch not count: a path has failed, and the time tells nothing of the
// device.
func (s *sample) drop() { s.start = time.Time{} }

// add notes that a block of n bytes is done, how many were acknowledged in all, and how many are under way
// still.
func (s *sample) add(now time.Time, acknowledged uint64, n, underWay int) {
	if s.start.IsZero() || underWay+n < stretchLoad {
		return
	}
	sent, over := int(acknowledged-s.base), underWay < stretchLoad
	took, bytes := s.took+now.Sub(s.start), s.bytes+sent
	switch {
	case sent < stretchLeast:
	case bytes >= sampleLeast && (over && !s.rest || took >= sampleTime):
		s.take(now, float64(bytes)*1e9/float64(max(took, 1)))
		s.begin(now, acknowledged)
		s.rest = true
	case over && !s.rest:
		s.took, s.bytes = took, bytes
	}
}

func (s *sample) take(now time.Time, rate float64) {
	i := s.n % len(s.last)
	s.last[i], s.at[i] = rate, now
	s.n++
	s.took, s.bytes = 0, 0
}
