package mpi

import (
	"unsafe"

	"github.com/gopvas/gopvas/internal/msg/comm"
)

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

// Requests and statuses differ from those of the layer below in the names of their types only. So a
// slice of them is viewed as one of that layer, which changes its elements in place.

func requests(reqs []Request) []comm.Request {
	return unsafe.Slice((*comm.Request)(unsafe.SliceData(reqs)), len(reqs))
}

// statusesOf keeps nil, and the room that WaitSome appends to.
func statusesOf(statuses []Status) []comm.Status {
	return unsafe.Slice((*comm.Status)(unsafe.SliceData(statuses)), cap(statuses))[:len(statuses)]
}

// facesOf is the way back.
func facesOf(statuses []comm.Status) []Status {
	return unsafe.Slice((*Status)(unsafe.SliceData(statuses)), cap(statuses))[:len(statuses)]
}
