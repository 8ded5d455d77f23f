package mpi

import (
	"errors"
	"fmt"
	"math"

	"github.com/gopvas/gopvas/internal/comm"
)

// Window is memory of every rank of a communicator that all of them can address,
// with loads and stores, as elements of type T. Ranks agree by barriers, or by
// sync/atomic on the memory itself, on who writes when: the window does not arbitrate.
//
// A communicator has any number of windows. It is freed after them.
type Window[T any] struct {
	w    *comm.Window
	size int // of an element
}

// WinAllocateShared gives each rank of c n elements of shared memory, zeros, that all
// ranks can address. The numbers may differ from rank to rank; 0 is allowed. All ranks
// give elements of the same size. It is collective and synchronises like a barrier.
//
// The memory starts at a multiple of 2 MiB if it is at least as long, else at a
// page. It is not Go memory: it is neither moved nor collected.
//
// If one rank can not have its memory, all ranks get an error. The error wraps a
// *LostError if a rank has gone.
//
// MPI 4.1 section 12.2.3.
func WinAllocateShared[T any](c *Comm, n int) (*Window[T], error) {
	bytes, size, err := lengthOf[T](n)
	w, err := comm.WinAllocateShared(c.inner(), bytes, size, err)
	return typedWindow[T](w, size, err)
}

// WinAllocateContiguous is WinAllocateShared in one piece, which All returns: the elements
// of each rank begin where those of the rank before it end. The memory starts at a multiple
// of 2 MiB or at a page as a whole, and belongs to rank 0.
//
// MPI 4.1 section 12.2.3 (without alloc_shared_noncontig).
func WinAllocateContiguous[T any](c *Comm, n int) (*Window[T], error) {
	bytes, size, err := lengthOf[T](n)
	w, err := comm.WinAllocateContiguous(c.inner(), bytes, size, err)
	return typedWindow[T](w, size, err)
}

// lengthOf returns how many bytes n elements have, and one.
func lengthOf[T any](n int) (bytes, size int, err error) {
	size, err = elementSize[T]()
	switch {
	case err != nil:
		return 0, 0, err
	case n > math.MaxInt/size:
		return math.MaxInt, size, nil // which nobody has: an error on all ranks
	}
	return n * size, size, nil
}

// WinCreate makes a window over memory that is there already: an ordinary slice of
// each rank, such as one from make. Peers read and write it where it lies, so this
// works only where ranks share one address space; elsewhere the error wraps
// ErrNotOneAddressSpace, on every rank and without any waiting. The lengths may
// differ from rank to rank; 0 is allowed. It is collective and synchronises like a
// barrier.
//
// mem stays the caller's and can be used as before, but from now on others use it
// too. The window keeps it reachable until it is freed. It must be on the heap, which
// it is without any doing, because it is kept.
//
// MPI 4.1 section 12.2.1.
func WinCreate[T any](c *Comm, mem []T) (*Window[T], error) {
	b, of, err := asBytes(mem)
	w, err := comm.WinCreate(c.inner(), b, of.Size(), err)
	return typedWindow[T](w, of.Size(), err)
}

// typedWindow checks that all ranks have elements of one size. All find the same.
func typedWindow[T any](w *comm.Window, size int, err error) (*Window[T], error) {
	if err != nil {
		return nil, err
	}
	for rank := range w.Comm().Size() {
		if unit, _ := w.Unit(rank); unit != size {
			err := fmt.Errorf("elements of %d bytes here, of %d bytes on rank %d: all ranks give the same type", size,
				unit, rank)
			return nil, comm.Wrap("window", errors.Join(err, w.Free()))
		}
	}
	return &Window[T]{w, size}, nil
}

// inner returns what makes the window, nil of a nil or zero one.
func (w *Window[T]) inner() *comm.Window {
	if w == nil {
		return nil
	}
	return w.w
}

// Local returns this rank's own memory of the window.
func (w *Window[T]) Local() []T {
	if w.inner() == nil {
		return nil
	}
	return elements[T](w.w.Local(), w.size)
}

// All returns the elements of all ranks, in their order, of a window from
// WinAllocateContiguous; nil of others.
func (w *Window[T]) All() []T {
	if w.inner() == nil {
		return nil
	}
	return elements[T](w.w.All(), w.size)
}

// Segment returns a rank's memory of the window: the same elements as that rank's
// Local, for reading and writing. Where ranks are separate processes the first
// call for a rank maps it. It does not block. The slice can be used until Free,
// whatever becomes of the other rank.
//
// The error wraps a *RankError if there is no such rank, ErrFinalized after
// Finalize, ErrWindowFreed after Free.
//
// MPI 4.1 section 12.2.3 (MPI_Win_shared_query).
func (w *Window[T]) Segment(rank int) ([]T, error) {
	b, err := w.inner().Segment(rank)
	if err != nil {
		return nil, err
	}
	return elements[T](b, w.size), nil
}

// Free ends the window. It is collective and synchronises like a barrier. Nobody uses
// any rank's memory by the window from then on. Memory from WinAllocateShared is used
// again by later windows of its rank; that from WinCreate is the caller's alone again.
//
// MPI 4.1 section 12.2.6 (MPI_Win_free).
func (w *Window[T]) Free() error { return w.inner().Free() }
