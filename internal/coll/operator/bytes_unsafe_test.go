package operator

import "unsafe"

// bytes views numbers as bytes.
func bytes(numbers []int32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(numbers))), 4*len(numbers))
}
