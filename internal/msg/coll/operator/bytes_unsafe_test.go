package operator

import "unsafe"

// bytes views numbers as bytes.
func bytes[T any](numbers []T) []byte {
	var one T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(numbers))), int(unsafe.Sizeof(one))*len(numbers))
}
