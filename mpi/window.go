package mpi

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/window"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Window is memory of every rank of a communicator, as elements of type T. All ranks can use it in two ways, which may
// be mixed:
//
//   - With loads and stores: see Segment. Ranks agree by barriers, or by sync/atomic on the memory itself, on
//     which rank writes when.
//   - By one-sided operations: Put, Get, Accumulate and the like. They are within an epoch, which Fence, Lock or
//     LockAll begins, and are done when they return. The target makes no call meanwhile.
//
// Operations that accumulate are atomic for each element, to one another. Loads, stores, Put and Get are not: epochs
// keep them apart.
//
// With pvasrun --survive what a rank that has failed had in a window is still read: by Segment, and by Get after RLock
// or LockAll. An operation that would change it returns a *LostError. Of a window from WinCreate it lies in memory of
// the program, and is what that has left there.
//
// A communicator has any number of windows. The program frees them before it, and before Finalize.
// Calls that are not collective may be made by several goroutines at a time.
type Window[T any] struct {
	w    *window.Window
	size int // of an element
	of   window.Element

	before func() // what a call does before it begins; nil: nothing
}

// WindowError is an error of a call on a window: the call, the rank that it is about, and the cause.
type WindowError = fault.WindowError

// Causes of errors of windows.
var (
	ErrWindowEpoch = window.ErrSync  // a call that the epoch does not allow
	ErrWindowRange = window.ErrRange // elements that the target does not have
)

// WinAllocateShared gives each rank of c n elements of shared memory, zeros, that all
// ranks can address. The numbers may differ from rank to rank; 0 is allowed. All ranks
// give elements of the same size. It is collective and synchronises like a barrier.
//
// The memory starts at a multiple of 2 MiB if it is at least as long, else at a
// page. It is not Go memory: it is neither moved nor collected.
//
// If one rank cannot have its memory, all ranks get an error. The error wraps a
// *LostError if a rank has gone.
//
// MPI 4.1 section 12.2.3.
func WinAllocateShared[T any](c *Comm, n int) (*Window[T], error) {
	bytes, size, err := lengthOf[T](n)
	return typedWindow[T](c, window.Spec{Flavor: window.Allocated, Bytes: bytes, Unit: size, Wrong: err})
}

// WinAllocateContiguous is WinAllocateShared in one piece, which All returns: the elements
// of each rank begin where those of the rank before it end. The memory starts at a multiple
// of 2 MiB or at a page as a whole, and belongs to rank 0.
//
// MPI 4.1 section 12.2.3 (without alloc_shared_noncontig).
func WinAllocateContiguous[T any](c *Comm, n int) (*Window[T], error) {
	bytes, size, err := lengthOf[T](n)
	return typedWindow[T](c, window.Spec{Flavor: window.Shared, Bytes: bytes, Unit: size, Wrong: err})
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
// each rank, such as one from make. Peers read and write it where it lies, so several
// ranks can have one only where they share one address space. Elsewhere the error wraps
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
	if c.Size() > 1 && !c.OneAddressSpace() {
		return nil, comm.Wrap("create window", ErrNotOneAddressSpace)
	}
	return typedWindow[T](c, window.Spec{Flavor: window.Created, Memory: b, Unit: of.Size(), Wrong: err})
}

// typedWindow makes a window, and checks that all ranks have elements of one size. All find the same.
func typedWindow[T any](c *Comm, s window.Spec) (*Window[T], error) {
	size := s.Unit
	s.Unit = max(1, size) // of an element that cannot travel, which is wrong already
	w, err := window.New(c.inner(), s)
	if err != nil {
		return nil, err
	}
	for rank := range c.Size() {
		if unit := w.UnitOf(rank); unit != size {
			err := fmt.Errorf("elements of %d bytes here, of %d bytes on rank %d: all ranks give the same type", size,
				unit, rank)
			return nil, comm.Wrap("window", errors.Join(err, w.Free()))
		}
	}
	return &Window[T]{w, size, elementIn[T](size), comm.Before(c.inner())}, nil
}

// elementIn is what accumulates see in elements of type T.
func elementIn[T any](size int) window.Element {
	e := window.Element{Size: size}
	kind := reflect.TypeFor[T]().Kind()
	if kind >= reflect.Int && kind <= reflect.Uintptr {
		e.Word, e.Signed = size == 4 || size == 8, kind <= reflect.Int64
	}
	return e
}

var errNoWindow = errors.New("no such window: it comes from WinAllocateShared, WinAllocateContiguous or WinCreate")

// inner returns what makes the window, nil of a nil or zero one.
func (w *Window[T]) inner() *window.Window {
	if w == nil {
		return nil
	}
	return w.w
}

// made is inner, or an error of the call.
func (w *Window[T]) made(op string) (*window.Window, error) {
	if w.inner() == nil {
		return nil, comm.Wrap(op, errNoWindow)
	}
	if w.before != nil {
		w.before()
	}
	return w.w, nil
}

// Local returns this rank's own memory of the window.
func (w *Window[T]) Local() []T {
	if w.inner() == nil {
		return nil
	}
	return elements[T](w.w.Data().Local(), w.size)
}

// All returns the elements of all ranks, in their order, of a window from
// WinAllocateContiguous; nil of others.
func (w *Window[T]) All() []T {
	if w.inner() == nil {
		return nil
	}
	return elements[T](w.w.Data().All(), w.size)
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
	in, err := w.made("segment of window")
	if err != nil {
		return nil, err
	}
	b, err := in.Segment(rank)
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
func (w *Window[T]) Free() error {
	in, err := w.made("free window")
	if err != nil {
		return err
	}
	return in.Free()
}
