package pvas

import "github.com/gopvas/gopvas/internal/node/sys"

// bytesAt views memory of a partition that this process has just mapped, to write the data that a
// task finds there. The caller does not use the slice later.
func bytesAt(addr, n uint64) []byte { return sys.Bytes(uintptr(addr), int(n)) }
