package mpi

import (
	"unsafe"

	"github.com/gopvas/gopvas/comm"
)

// A function value is a pointer to a closure, which begins with the address of the code.
// The closure of a function that captures nothing is part of the image. A slice is passed
// in the same way whatever it is of, so a function of slices of any elements can be called
// with slices of bytes, if the lengths are those in elements.

// landmark is the function from which others are measured.
func landmark(_, _ []byte) {}

func closureOf[F any](f F) uint64 { return uint64(*(*uintptr)(unsafe.Pointer(&f))) }

// functionName returns the name of a function, 0 if it has none: if it lies outside of
// this rank's image, or the rank has no partition of its own.
func functionName[T any](f func(inout, in []T), size int) uint64 {
	c := comm.World()
	if c == nil || f == nil || size >= sizeLimit {
		return 0
	}
	at := closureOf(f)
	if !comm.InImage(c, at) {
		return 0
	}
	distance := at - closureOf(landmark)
	return uint64(size)<<distanceBits | distance&(1<<distanceBits-1)
}

// functionOf returns the function with a name, which a rank of the same program has.
func functionOf(name uint64) func(inout, in []byte) {
	distance := int64(name<<(64-distanceBits)) >> (64 - distanceBits)
	size := int(name >> distanceBits)
	at := uintptr(int64(closureOf(landmark)) + distance)
	f := *(*func(inout, in []byte))(unsafe.Pointer(&at))
	return func(inout, in []byte) {
		f(inout[:len(inout)/size:len(inout)/size], in[:len(in)/size:len(in)/size])
	}
}
