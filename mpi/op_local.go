package mpi

import (
	"fmt"

	"github.com/gopvas/gopvas/internal/comm"
)

// Commutative tells whether the operator was made as one whose order of operands plays
// no part.
//
// MPI 4.1 section 6.9.8 (MPI_Op_commutative).
func (o *Op[T]) Commutative() bool { return o.check() == nil && o.op.Commutative }

// ReduceLocal sets inout[i] = inout[i] op in[i] for all elements: what a reduction does
// with the elements of a higher rank. It needs no other rank and does not block. A panic
// of the operator goes on to the caller. It is an error if the buffers differ in length,
// or a *TypeError (wrapped).
//
// MPI 4.1 section 6.9.7 (MPI_Reduce_local), whose operands have the other order.
func ReduceLocal[T any](inout, in []T, op *Op[T]) error {
	const name = "reduce local"
	if err := op.check(); err != nil {
		return comm.Wrap(name, err)
	}
	size, err := elementSize[T]()
	if err != nil {
		return comm.Wrap(name, err)
	}
	if len(in) != len(inout) {
		return comm.Wrap(name,
			fmt.Errorf("buffers of %d and %d elements: pass two of the same length", len(inout), len(in)))
	}
	apply := op.op.Apply
	if op.bare != nil {
		apply = op.bare
	}
	apply(bytesOf(inout, size), bytesOf(in, size))
	return nil
}
