package window

import (
	"unsafe"

	"github.com/gopvas/gopvas/internal/sys"
)

// memoryAt is memory of this address space, of whatever rank. Its owner keeps it while the window lives.
func memoryAt(addr uintptr, n int) []byte { return sys.Bytes(addr, n) }

// addressOf is where memory begins.
func addressOf(memory []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(memory))) }
