package comm

import (
	"unsafe"

	"github.com/gopvas/gopvas/internal/msg/pml"
)

// Request is nothing but a pml.Request: inner relies on it.
var _ = [1]struct{}{}[unsafe.Sizeof(Request{})-unsafe.Sizeof(pml.Request{})]

// inner views requests as those of the layer below, which changes them in place.
func inner(reqs []Request) []pml.Request {
	return unsafe.Slice((*pml.Request)(unsafe.Pointer(unsafe.SliceData(reqs))), len(reqs))
}

// bytesOf views the elements of buf, without pointers, as bytes.
func bytesOf[T any](buf []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(buf))), len(buf)*int(unsafe.Sizeof(buf[0])))
}
