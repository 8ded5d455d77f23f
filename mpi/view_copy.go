package mpi

import "sync"

// staging is a buffer that elements pass through. It is used again if nobody can still
// have a hand on it.
type staging struct{ words []uint64 }

var stagings = sync.Pool{New: func() any { return new(staging) }}

// newStaging returns a buffer, and n bytes of it that start where any element may.
func newStaging(n int) (*staging, []byte) {
	s := stagings.Get().(*staging)
	if words := (n + 7) / 8; len(s.words) < words {
		s.words = make([]uint64, words)
	}
	return s, bytesOf(s.words, 8)[:n]
}

// free gives the buffer, if there is one, back, unless the operation that used it has
// failed: a peer may be at it then.
func (s *staging) free(err error) {
	if s != nil && err == nil {
		stagings.Put(s)
	}
}
