package file

import (
	"sync/atomic"
	"unsafe"
)

// wordAt is a word of shared memory, at a multiple of 8.
func wordAt(memory []byte, at int) *atomic.Int64 { return (*atomic.Int64)(unsafe.Pointer(&memory[at])) }
