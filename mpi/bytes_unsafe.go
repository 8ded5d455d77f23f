package mpi

import (
	"unsafe"

	"github.com/gopvas/gopvas/pml"
)

// asBytes views the elements of buf, of size bytes each and without pointers, as
// bytes. The bytes keep the elements reachable.
func asBytes[T any](buf []T, size int) []byte {
	// The product does not overflow: it is the size of something that exists.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(buf))), len(buf)*size)
}

// Request is nothing but a pml.Request: inner relies on it.
var _ = [1]struct{}{}[unsafe.Sizeof(Request{})-unsafe.Sizeof(pml.Request{})]

// inner views requests as those of the layer below, which changes them in place.
func inner(reqs []Request) []pml.Request {
	return unsafe.Slice((*pml.Request)(unsafe.Pointer(unsafe.SliceData(reqs))), len(reqs))
}
