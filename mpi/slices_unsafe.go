package mpi

import (
	"unsafe"

	"github.com/gopvas/gopvas/internal/comm"
)

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
