package mail

import "github.com/gopvas/gopvas/internal/node/sys"

// bytesAt views a buffer of a rank in this address space. The slice is not kept.
func bytesAt(addr uint64, n int) []byte { return sys.Bytes(uintptr(addr), n) }
