package mpi

import (
	"fmt"

	"github.com/gopvas/gopvas/internal/msg/comm"
)

// Kept is elements that outlive this rank, with a version. With pvasrun --survive the others read them when it has
// failed: see KeptOf. Nothing is copied before, and Keep is no checkpoint that takes time.
//
// A rank may fail between any two instructions. What it has stored before SetVersion is there when that version is. But
// nobody knows what it has stored since. So a state that is to be whole whenever the rank fails has two halves: the
// version says which one is whole, and the other one is written.
//
//	half := func(version int) []float64 { return k.Elements()[version%2*n:][:n] }
//	advance(half(k.Version()), half(k.Version()+1)) // writes the second one
//	k.SetVersion(k.Version() + 1)
//
// When ranks write in steps, with a barrier after each SetVersion, their versions differ by 1 at most. The lower one is
// whole at all of them then: nobody begins to write over it before all have passed that barrier.
type Kept[T any] struct {
	c    *comm.Comm
	b    *comm.Block
	size int // of an element
}

// ErrNotKept means that a rank has kept nothing by that name.
var ErrNotKept = comm.ErrNotKept

// Keep keeps n elements, zeros, whose version is 0, by a name of 1 to 80 bytes that this rank has for no others. It
// keeps 64 at most. The elements are memory like that of WinAllocateShared. Keep is local: c says whose rank it is, and
// may have been revoked.
func Keep[T any](c *Comm, name string, n int) (*Kept[T], error) {
	bytes, size, err := lengthOf[T](n)
	if err == nil && n < 0 {
		err = fmt.Errorf("%d elements are no length", n)
	}
	if err != nil {
		return nil, comm.Wrap("keep", err)
	}
	b, err := comm.Keep(c.inner(), name, bytes, size)
	if err != nil {
		return nil, err
	}
	return &Kept[T]{c.inner(), b, size}, nil
}

// Elements returns them, until Free.
func (k *Kept[T]) Elements() []T {
	if k == nil || k.b == nil {
		return nil
	}
	return elements[T](k.b.Memory, k.size)
}

// Version returns what SetVersion has set.
func (k *Kept[T]) Version() int {
	if k == nil || k.b == nil {
		return 0
	}
	return int(k.b.Version())
}

// SetVersion sets the version, after all that the calling goroutine has stored before.
func (k *Kept[T]) SetVersion(version int) {
	if k != nil && k.b != nil {
		k.b.SetVersion(int64(version))
	}
}

// Free frees the elements. Their memory is used again. It is local. No other goroutine calls a method meanwhile.
func (k *Kept[T]) Free() error {
	if k == nil || k.b == nil {
		return comm.Wrap("free what was kept", ErrNotKept)
	}
	return comm.Unkeep(k.c, k.b)
}

// KeptOf returns the elements that a rank of c has kept by a name, as its last store has left them, and their version.
// They lie in its memory, which stays until the job ends: nobody else should write them. It is local, and does not
// block.
//
// T is the type that Keep had: only its size is checked. The rank has failed, as Failed tells: else it is an error. A
// rank that was started in its place is another one, which other communicators have. The error wraps ErrNotKept if the
// rank has kept nothing by that name, or freed it, and a *RankError if there is no such rank.
func KeptOf[T any](c *Comm, rank int, name string) (kept []T, version int, err error) {
	size, err := elementSize[T]()
	if err != nil {
		return nil, 0, comm.Wrap("get what was kept", err)
	}
	left, err := comm.KeptOf(c.inner(), rank, name)
	if err != nil {
		return nil, 0, err
	}
	if left.Unit != size {
		err = fmt.Errorf("rank %d has kept elements of %d bytes, not of %d", rank, left.Unit, size)
		return nil, 0, comm.Wrap("get what was kept", err)
	}
	return elements[T](left.Memory, size), int(left.Version), nil
}
