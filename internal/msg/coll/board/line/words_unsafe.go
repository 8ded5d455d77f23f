//go:build caches

package line

import (
	"sync/atomic"
	"unsafe"
)

// word is a word of one of the types below. Before a member loads one, which it may do again and again, others run.
type word[T any, A any, P interface {
	*A
	Load() T
	Store(T)
	Add(T) T
	CompareAndSwap(o, n T) bool
}] struct {
	v A
}

// Words that several members use.
type (
	Uint64 = word[uint64, atomic.Uint64, *atomic.Uint64]
	Int64  = word[int64, atomic.Int64, *atomic.Int64]
	Uint32 = word[uint32, atomic.Uint32, *atomic.Uint32]
	Int32  = word[int32, atomic.Int32, *atomic.Int32]
)

func (w *word[T, A, P]) Load() T {
	turn()
	Reads(w)
	return P(&w.v).Load()
}

func (w *word[T, A, P]) Store(v T) {
	Writes(w)
	P(&w.v).Store(v)
}

func (w *word[T, A, P]) Add(d T) T {
	turn()
	Writes(w)
	return P(&w.v).Add(d)
}

func (w *word[T, A, P]) CompareAndSwap(o, n T) bool {
	turn()
	Writes(w)
	return P(&w.v).CompareAndSwap(o, n)
}

// Reads and Writes note what this member has just read, or written, that is no word of this package.
func Reads[T any](p *T)  { note(uintptr(unsafe.Pointer(p)), unsafe.Sizeof(*p), false) }
func Writes[T any](p *T) { note(uintptr(unsafe.Pointer(p)), unsafe.Sizeof(*p), true) }

// ReadsBytes and WritesBytes do it for bytes.
func ReadsBytes(b []byte) {
	note(uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), false)
}

func WritesBytes(b []byte) {
	note(uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), true)
}

// Prefetch asks for the line of a word, to write it.
func Prefetch(w *Uint64) { Writes(w) }

// Await returns when over returns true. A core that slept would keep the turn from those that it waits for.
func Await(over func() bool) {
	for machine != nil && !over() {
	}
}
