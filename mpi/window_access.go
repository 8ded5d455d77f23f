package mpi

import (
	"errors"

	"github.com/gopvas/gopvas/internal/msg/coll/operator"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/window"
)

// place is some elements of a target.
func (w *Window[T]) place(rank, at, n int) window.Place {
	return window.Place{Rank: rank, Disp: at, Bytes: n * w.size}
}

// Put copies elements to those of a rank, from the one at an index on.
//
// MPI 5.0 section 12.3.1 (MPI_Put).
func (w *Window[T]) Put(elements []T, rank, at int) error {
	in, err := w.made("put")
	if err != nil {
		return err
	}
	b, p := comm.Bytes(bytesOf(elements, w.size)), w.place(rank, at, len(elements))
	return in.Put(&b, &p)
}

// Get copies elements of a rank, from the one at an index on.
//
// MPI 5.0 section 12.3.2 (MPI_Get).
func (w *Window[T]) Get(elements []T, rank, at int) error {
	in, err := w.made("get")
	if err != nil {
		return err
	}
	b, p := comm.Bytes(bytesOf(elements, w.size)), w.place(rank, at, len(elements))
	return in.Get(&b, &p)
}

// Accumulate combines elements with those of a rank, from the one at an index on: these become what the operator makes
// of both. The operator is one of this package, as Sum is. Each element is changed at once.
//
// MPI 5.0 section 12.3.4 (MPI_Accumulate).
func (w *Window[T]) Accumulate(op *Op[T], elements []T, rank, at int) error {
	in, err := w.made("accumulate")
	if err != nil {
		return err
	}
	by, err := op.accumulates()
	if err != nil {
		return comm.Wrap("accumulate", err)
	}
	b, p := comm.Bytes(bytesOf(elements, w.size)), w.place(rank, at, len(elements))
	return in.Accumulate(by, &w.of, &b, &p)
}

// FetchAndOp is Accumulate of one element, and returns what was there.
//
// MPI 5.0 section 12.3.4 (MPI_Fetch_and_op).
func (w *Window[T]) FetchAndOp(op *Op[T], element T, rank, at int) (T, error) {
	by, err := op.accumulates()
	if err != nil {
		return element, comm.Wrap("fetch and op", err)
	}
	return w.fetch(by, element, rank, at)
}

// Swap puts an element in the place of that of a rank, and returns what was there. It is atomic to all that accumulate.
func (w *Window[T]) Swap(element T, rank, at int) (T, error) {
	return w.fetch(window.Op{Code: window.Replace}, element, rank, at)
}

func (w *Window[T]) fetch(by window.Op, element T, rank, at int) (old T, err error) {
	in, err := w.made("fetch and op")
	if err != nil {
		return old, err
	}
	p, both := w.place(rank, at, 1), [2]T{element, old}
	err = in.FetchAndOp(by, &w.of, bytesOf(both[:1], w.size), bytesOf(both[1:], w.size), &p)
	return both[1], err
}

// CompareAndSwap puts an element in the place of that of a rank if that is equal to old, and returns what was there.
//
// MPI 5.0 section 12.3.4 (MPI_Compare_and_swap).
func (w *Window[T]) CompareAndSwap(old, element T, rank, at int) (T, error) {
	in, err := w.made("compare and swap")
	if err != nil {
		return old, err
	}
	p, all := w.place(rank, at, 1), [3]T{element, old, old}
	err = in.CompareAndSwap(&w.of, bytesOf(all[:1], w.size), bytesOf(all[1:2], w.size), bytesOf(all[2:], w.size), &p)
	return all[2], err
}

var errNotPredefined = errors.New("the operator is a function of the program: accumulates take those of this package")

// accumulates is the operator for accumulates.
func (o *Op[T]) accumulates() (by window.Op, err error) {
	if err = o.check(); err == nil {
		if by.Code, by.On = operator.CodeOf(o.op.Name), o.op; by.Code == operator.Codes {
			err = errNotPredefined
		}
	}
	return by, err
}

// Fence ends an epoch and begins the next one, of all ranks: what any of them has done before it, all see after it. It
// is collective and synchronises like a barrier.
//
// MPI 5.0 section 12.5.1 (MPI_Win_fence).
func (w *Window[T]) Fence() error {
	return w.epoch("fence", func(in *window.Window) error { return in.Fence(0) })
}

// Lock begins an epoch in which this rank alone accesses a target. It waits for others that have locked it. The error
// wraps a *LostError if one of them has gone.
//
// MPI 5.0 section 12.5.3 (MPI_Win_lock with MPI_LOCK_EXCLUSIVE).
func (w *Window[T]) Lock(rank int) error {
	return w.epoch("lock", func(in *window.Window) error { return in.Lock(true, rank, 0) })
}

// RLock is Lock beside others that call RLock or LockAll.
//
// MPI 5.0 section 12.5.3 (MPI_Win_lock with MPI_LOCK_SHARED).
func (w *Window[T]) RLock(rank int) error {
	return w.epoch("lock", func(in *window.Window) error { return in.Lock(false, rank, 0) })
}

// Unlock ends the epoch of Lock or RLock.
//
// MPI 5.0 section 12.5.3 (MPI_Win_unlock).
func (w *Window[T]) Unlock(rank int) error {
	return w.epoch("unlock", func(in *window.Window) error { return in.Unlock(rank) })
}

// LockAll is RLock of all ranks. It takes as long for many as for few. If another rank has locked a target by Lock, the
// operation on it waits.
//
// MPI 5.0 section 12.5.3 (MPI_Win_lock_all).
func (w *Window[T]) LockAll() error {
	return w.epoch("lock all", func(in *window.Window) error { return in.LockAll(0) })
}

// UnlockAll ends the epoch of LockAll.
//
// MPI 5.0 section 12.5.3 (MPI_Win_unlock_all).
func (w *Window[T]) UnlockAll() error { return w.epoch("unlock all", (*window.Window).UnlockAll) }

// Flush orders what this rank has done at a target before what it does from now on. Then it can tell
// others, by messages or stores, that they may read that, within the epoch of a lock too.
//
// MPI 5.0 section 12.5.4 (MPI_Win_flush).
func (w *Window[T]) Flush(rank int) error {
	return w.epoch("flush", func(in *window.Window) error { return in.Flush(rank) })
}

// epoch makes a call that begins, ends or orders what is in epochs.
func (w *Window[T]) epoch(op string, call func(*window.Window) error) error {
	in, err := w.made(op)
	if err != nil {
		return err
	}
	return call(in)
}
