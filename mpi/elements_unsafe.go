package mpi

import "unsafe"

// elements views bytes as elements of size bytes each, of a type without pointers. The
// bytes start where such elements may: at an element of a slice of them, or at a fresh
// allocation.
func elements[T any](b []byte, size int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/max(size, 1))
}
