package file

import (
	"sync/atomic"
	"unsafe"
)

// bytesOf views the elements of buf, without pointers, as bytes.
func bytesOf[T any](buf []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(buf))), len(buf)*int(unsafe.Sizeof(buf[0])))
}

// wordAt is a word of shared memory, at a multiple of 8.
func wordAt(memory []byte, at int) *atomic.Int64 { return (*atomic.Int64)(unsafe.Pointer(&memory[at])) }
