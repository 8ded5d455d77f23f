package window

import (
	"sync/atomic"
	"unsafe"

	"github.com/gopvas/gopvas/internal/sys"
)

// place lays the control block out in its memory.
func (w *Window) place(memory []byte, s *shape) {
	at := unsafe.Pointer(unsafe.SliceData(memory))
	w.head = (*head)(at)
	at = unsafe.Add(at, headSize)
	w.records = unsafe.Slice((*record)(at), s.ranks)
	at = unsafe.Add(at, s.ranks*recordSize)
	w.stripes = unsafe.Slice((*stripe)(at), s.stripes)
	at = unsafe.Add(at, s.stripes*stripeSize+bitsSize(s.ranks))
	if s.attached > 0 {
		w.attached = unsafe.Slice((*regions)(at), s.attached)
		at = unsafe.Add(at, s.attached*regionsSize)
	}
	if s.accessed > 0 {
		w.accessed = unsafe.Slice((*accesses)(at), s.accessed)
	}
}

// asleepBits has a bit for each rank, which is set while goroutines of it sleep. The words lie behind the stripes.
func (c *control) asleepBits() []atomic.Uint64 {
	at := unsafe.Add(unsafe.Pointer(unsafe.SliceData(c.stripes)), len(c.stripes)*stripeSize)
	return unsafe.Slice((*atomic.Uint64)(at), (len(c.records)+bitsOfWord-1)/bitsOfWord)
}

// The tables of different writers share no cache line.
var _ = [1]struct{}{}[(regionsSize|accessesSize)%cacheLine]

const (
	regionsSize  = int(unsafe.Sizeof(regions{}))
	accessesSize = int(unsafe.Sizeof(accesses{}))
)

// memoryAt is memory of this address space, of whatever rank. Its owner keeps it while the window lives.
func memoryAt(addr uintptr, n int) []byte { return sys.Bytes(addr, n) }

// word64 and word32 are words of a window. Their memory is not Go's, or its owner keeps it.
func word64(addr uintptr) *atomic.Uint64 {
	return (*atomic.Uint64)(*(*unsafe.Pointer)(unsafe.Pointer(&addr)))
}

func word32(addr uintptr) *atomic.Uint32 {
	return (*atomic.Uint32)(*(*unsafe.Pointer)(unsafe.Pointer(&addr)))
}
