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

// MismatchError means that the ranks of a communicator did not call the same
// collective operation, or with arguments that do not fit.
type MismatchError = coll.MismatchError

// OperatorError means that an operator of a reduction has panicked, and where.
type OperatorError = coll.OpError

// ErrOverlap means that the send and the receive buffer of a collective operation have
// elements in common, and that the send buffer is not nil.
var ErrOverlap = coll.ErrOverlap

// BufferError means that a buffer is too short. As with all errors about arguments, the
// call is over for this rank, and those that need it for theirs get a *MismatchError that
// names it.
type BufferError = coll.ArgumentError

// call is a collective operation that is to be done, begun or prepared. It is some
// hundreds of bytes, and to copy it from function to function took a fifth of the time of
// a short operation: so it is filled in where it is returned, and its Args are handed down
// by reference.
type call struct {
	c    *Comm
	op   string
	args coll.Args
	err  error // what is wrong with the arguments
}

// run does it.
func (k call) run() error { return k.c.collective(k.op, &k.args, k.err) }

// begin begins it as a nonblocking operation.
func (k call) begin() (Request, error) {
	k.args.Wrong = k.err
	g, err := k.c.team.GraphOnce(&k.args)
	r, err := k.c.issue(g, bare(err))
	return r, nonblockingError(k.op, err)
}

// prepare makes a persistent request for it.
func (k call) prepare() (Request, error) {
	k.args.Wrong = k.err
	g, err := k.c.team.Graph(k.args)
	r, err := k.c.prepare(g, bare(err))
	return r, persistentError(k.op, err)
}

// collective makes the call.
func (c *Comm) collective(op string, a *coll.Args, wrong error) error {
	if err := c.begin(); err != nil {
		return opError(op, err)
	}
	defer c.mu.Unlock()
	a.Wrong = wrong
	return opError(op, bare(c.team.Run(a)))
}

// bare takes off an error of package coll what names the operation, once more.
func bare(err error) error {
	if cause := errors.Unwrap(err); cause != nil {
		return cause
	}
	return err
}

// also adds what is wrong, if anything is, to what is wrong already.
func also(err *error, e error) {
	if e != nil {
		*err = errors.Join(*err, e)
	}
}

// own is the bytes of a buffer that is one piece.
func own[T any](buf []T, err *error) coll.Buffer {
	b, _, e := view(buf)
	also(err, e)
	return coll.Buffer{Data: b}
}

// blocks is a buffer of blocks of as many elements each.
func blocks[T any](buf []T, count int, err *error) coll.Buffer {
	b, size, e := view(buf)
	also(err, e)
	return coll.Buffer{Data: b, Block: count * size}
}

// irregular is a buffer of blocks whose lengths and, unless they lie close, places are
// given.
func irregular[T any](buf []T, counts, displs []int, err *error) coll.Buffer {
	b, size, e := view(buf)
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
func (c *Comm) perRank(what string, n int, err *error) int {
	if n%c.size != 0 {
		*err = errors.Join(*err, &BufferError{What: what + " (which is not the same number of elements for each rank)",
			Have: n, Need: n / c.size * c.size, Exact: true, Unit: "elements"})
	}
	return n / c.size
}

// Algorithm returns the name of the algorithm of the last collective operation on the
// communicator, but for those of neighbours; to be called by the goroutine that made
// the call. PVAS_COLL and pvasrun --coll choose others.
func (c *Comm) Algorithm() string { return c.team.Last() }
