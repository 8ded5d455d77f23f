//go:build amd64 || arm64

package shm

import "sync/atomic"

// PrefetchWrite brings the cache line of a word to this CPU, to be written. It does not wait for the
// line.
//
//go:noescape
func PrefetchWrite(w *atomic.Uint64)
