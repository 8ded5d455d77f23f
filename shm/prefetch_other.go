//go:build !amd64 && !arm64

package shm

import "sync/atomic"

// PrefetchWrite does nothing here.
func PrefetchWrite(*atomic.Uint64) {}
