package sys

import (
	"sync/atomic"
	"unsafe"
)

// wordAt returns the word at an address of mapped memory.
func wordAt(addr uintptr) *atomic.Uint32 {
	return (*atomic.Uint32)(unsafe.Pointer(unsafe.SliceData(Bytes(addr, 4))))
}
