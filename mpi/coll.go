package mpi

import (
	"errors"

	"github.com/gopvas/gopvas/internal/msg/coll"
)

// own has a buffer be one piece. It and the next two fill in the buffer where it is: to
// return one and copy it costs more than all else that they do.
func own[T any](b *coll.Buffer, buf []T, err *error) { blocks(b, buf, 0, err) }

// blocks has a buffer be blocks of as many elements each.
func blocks[T any](b *coll.Buffer, buf []T, count int, err *error) {
	data, of, e := asBytes(buf)
	if e != nil {
		if !errors.Is(*err, e) { // both buffers are of that type
			*err = errors.Join(*err, e)
		}
		return
	}
	b.Data, b.Block, b.Unit, b.Of = data, count*of.Size(), of.Size(), of
}

// irregular has a buffer be blocks whose lengths and, unless they lie close, places are
// given.
func irregular[T any](b *coll.Buffer, buf []T, counts, displs []int, err *error) {
	own(b, buf, err)
	if counts == nil {
		counts = []int{} // not one length for all
	}
	if displs == nil {
		displs = dense(counts)
	}
	size, _ := elementSize[T]()
	b.Counts, b.Displs, b.Unit = counts, displs, size
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
	if c.Size() == 0 {
		return 0 // the call says so
	}
	if n%c.Size() != 0 {
		*err = errors.Join(*err, &BufferError{What: what + " (which is not the same number of elements for each rank)",
			Have: n, Need: n / c.Size() * c.Size(), Exact: true, Unit: "elements"})
	}
	return n / c.Size()
}
