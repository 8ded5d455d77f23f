package cad

import "github.com/gopvas/gopvas/internal/node/sys"

// BytesAt views n bytes of a rank's memory at an address of AddressOf. The slice is not kept.
func BytesAt(at uint64, n int) []byte {
	if n == 0 {
		return nil
	}
	return sys.Bytes(uintptr(at), n)
}
