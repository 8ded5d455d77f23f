package mpi

import (
	"errors"

	"github.com/gopvas/gopvas/coll"
)

// Collective operations are called by all ranks of a communicator, in the same order.
// They take slices of elements without pointers, which must agree in type and, but for
// the v forms, in number. Each blocks until this rank's part is done: until it has its
// result, and its buffers are its own again; only after Barrier it is certain that all
// others have made the call.
//
// In place: where it says so, a nil send buffer means that what is to be sent is in the
// receive buffer, in the place where it will be overwritten by the result.
//
// Several goroutines may use several communicators at a time. If they use one, they
// are let in one by one, and the program sees to it that the order is the same on all
// ranks.
//
// Errors wrap a *LostError if a rank has gone (then the receive buffer may be written
// to still, and is best given up), a *MismatchError where it is seen that ranks made
// different calls, an *OperatorError, *RankError (no such root), *BufferError,
// ErrOverlap, *TypeError, ErrFinalized or ErrFreed.

// also adds what is wrong, if anything is, to what is wrong already.
func also(err *error, e error) {
	if e != nil {
		*err = errors.Join(*err, e)
	}
}

// own is the bytes of a buffer that is one piece.
func own[T any](buf []T, err *error) coll.Buffer {
	b, _, e := asBytes(buf)
	also(err, e)
	return coll.Buffer{Data: b}
}

// blocks is a buffer of blocks of as many elements each.
func blocks[T any](buf []T, count int, err *error) coll.Buffer {
	b, size, e := asBytes(buf)
	also(err, e)
	return coll.Buffer{Data: b, Block: count * size}
}

// irregular is a buffer of blocks whose lengths and, unless they lie close, places are
// given.
func irregular[T any](buf []T, counts, displs []int, err *error) coll.Buffer {
	b, size, e := asBytes(buf)
	also(err, e)
	if counts == nil {
		counts = []int{} // not one length for all
	}
	if displs == nil {
		displs = dense(counts)
	}
	return coll.Buffer{Data: b, Counts: counts, Displs: displs, Unit: size}
}

// dense returns the places of blocks that lie close.
func dense(counts []int) []int {
	displs := make([]int, len(counts))
	for i := 1; i < len(counts); i++ {
		displs[i] = displs[i-1] + counts[i-1]
	}
	return displs
}

// perRank returns how many of n elements are for each rank.
func perRank(c *Comm, what string, n int, err *error) int {
	if c == nil {
		return 0 // the call says so
	}
	if n%c.Size() != 0 {
		*err = errors.Join(*err, &BufferError{What: what + " (which is not the same number of elements for each rank)",
			Have: n, Need: n / c.Size() * c.Size(), Exact: true, Unit: "elements"})
	}
	return n / c.Size()
}
