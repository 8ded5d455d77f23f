package update

import (
	"sync/atomic"
	"unsafe"

	"github.com/gopvas/gopvas/internal/node/sys"
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
