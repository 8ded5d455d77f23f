package window

import "github.com/gopvas/gopvas/internal/sys"

// memoryAt is memory of this address space, of whatever rank. Its owner keeps it while the window lives.
func memoryAt(addr uintptr, n int) []byte { return sys.Bytes(addr, n) }
