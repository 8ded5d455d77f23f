package pvas

import "github.com/gopvas/gopvas/internal/sys"

// bytesAt views memory of a partition that this process has just mapped to write what a
// task finds there. The slice is not kept.
func bytesAt(addr, n uint64) []byte { return sys.Bytes(uintptr(addr), int(n)) }
