package btltest

import (
	"sync/atomic"
	"unsafe"
)

// counterAt views the first eight bytes of mem as a counter.
func counterAt(mem []byte) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Pointer(unsafe.SliceData(mem[:8])))
}
