package file

import (
	"sync/atomic"
	"unsafe"

	"github.com/gopvas/gopvas/internal/sys"
)

// wordAt is a word of shared memory, at a multiple of 8.
func wordAt(memory []byte, at int) *atomic.Int64 { return (*atomic.Int64)(unsafe.Pointer(&memory[at])) }

// memoryAt is memory of this address space, of whatever rank. Its owner keeps it until the call is over.
func memoryAt(addr uintptr, n int64) []byte { return sys.Bytes(addr, int(n)) }
