package mpi

import "sync"

// gather copies the elements of the view to dst, which is as long.
func (v *View[T]) gather(dst []T) {
	for _, p := range v.pieces {
		from := v.base[p.start:]
		if p.length == 1 { // a column: no call of memmove for each
			for i, at := 0, 0; i < p.count; i, at = i+1, at+p.stride {
				dst[i] = from[at]
			}
		} else {
			for i := range p.count {
				copy(dst[i*p.length:], from[i*p.stride:][:p.length])
			}
		}
		dst = dst[p.count*p.length:]
	}
}

// scatter copies src to the first elements of the view.
func (v *View[T]) scatter(src []T) {
	for _, p := range v.pieces {
		to := v.base[p.start:]
		if p.length == 1 {
			n := min(p.count, len(src))
			for i, at := 0, 0; i < n; i, at = i+1, at+p.stride {
				to[at] = src[i]
			}
			src = src[n:]
			continue
		}
		for i := 0; i < p.count && len(src) > 0; i++ {
			src = src[copy(to[i*p.stride:][:p.length], src):]
		}
	}
}

// contiguous returns the elements as they lie, if that is in one piece.
func (v *View[T]) contiguous() ([]T, bool) {
	switch {
	case v.count == 0:
		return nil, true
	case len(v.pieces) == 1 && v.pieces[0].count == 1:
		return v.base[v.pieces[0].start:][:v.count], true
	}
	return nil, false
}

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
