package pvasbtl

import "github.com/gopvas/gopvas/internal/node/sys"

// bytesAt views memory of the address space, this rank's or a peer's. It is mapped and
// stays so: a partition is taken away only after the last rank has gone.
func bytesAt(addr, n uint64) []byte { return sys.Bytes(uintptr(addr), int(n)) }
