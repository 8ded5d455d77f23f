package coll

import "github.com/gopvas/gopvas/internal/sys"

// bytesAt views n bytes of a member's memory. The slice is not kept.
func bytesAt(at uint64, n int) []byte {
	if n == 0 {
		return nil
	}
	return sys.Bytes(uintptr(at), n)
}
