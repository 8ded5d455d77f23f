//go:build !caches

package line

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/shm"
)

// Words that several members use.
type (
	Uint64 = atomic.Uint64
	Int64  = atomic.Int64
	Uint32 = atomic.Uint32
	Int32  = atomic.Int32
)

// Reads and Writes note what this member has just read, or written, that is no word of this package.
func Reads[T any](*T)  {}
func Writes[T any](*T) {}

// ReadsBytes and WritesBytes do it for bytes.
func ReadsBytes([]byte)  {}
func WritesBytes([]byte) {}

// Prefetch is shm.PrefetchWrite.
func Prefetch(w *Uint64) { shm.PrefetchWrite(w) }

// Await is called before this member sleeps until over returns true. Here the sleep is all.
func Await(over func() bool) {}
