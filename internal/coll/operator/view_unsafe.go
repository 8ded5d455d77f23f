package operator

import "unsafe"

// view views bytes as elements without pointers.
func view[T any](b []byte) []T {
	var one T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(one)))
}

// viewAt views the bytes from an address on as n elements without pointers.
func viewAt[T any](first *byte, n int) []T { return unsafe.Slice((*T)(unsafe.Pointer(first)), n) }
