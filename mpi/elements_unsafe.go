package mpi

import "unsafe"

// bytesOf views the elements of buf, of size bytes each and without pointers, as
// bytes. The bytes keep the elements reachable.
func bytesOf[T any](buf []T, size int) []byte {
	// The product does not overflow: it is the size of something that exists.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(buf))), len(buf)*size)
}

// elements views bytes as elements of size bytes each, of a type without pointers. The
// bytes start where such elements may: at an element of a slice of them, or at a fresh
// allocation.
func elements[T any](b []byte, size int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/max(size, 1))
}
