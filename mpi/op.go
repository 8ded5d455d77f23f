package mpi

import (
	"errors"
	"fmt"

	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/coll/operator"
	"github.com/gopvas/gopvas/internal/msg/comm"
)

// Integer, Real and Number are the element types that the operators take.
type (
	// Integer is all whole numbers.
	Integer interface {
		~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
	}
	// Real is all numbers that have an order.
	Real interface {
		Integer | ~float32 | ~float64
	}
	// Number is all numbers.
	Number interface {
		Real | ~complex64 | ~complex128
	}
)

// Op is an operator that reductions combine elements with. It may be used by any
// number of calls and goroutines at a time. All ranks of a call give the same.
//
// Operators are associative. Sums of floating-point numbers are not, quite: which bits
// come out depends on the order, and that depends on the number of ranks, and where these are
// on several nodes. So two runs give the same bits.
//
// MPI 4.1 section 6.9.
type Op[T any] struct {
	op   *coll.Op
	bare func(inout, in []byte) // Apply of a function of the program, which may communicate; nil: Apply of op
	err  error                  // why it cannot be used
}

// NewOp makes an operator of a function that sets inout[i] = inout[i] op in[i] for all
// elements; both slices have the same length. inout comes from lower ranks than in, and
// if the operator is not commutative they are combined in the order of the ranks. The
// function must not keep the slices, nor write to in. Any rank may call it, for any part of
// the vectors and several goroutines at a time, so it depends on its arguments alone. If it
// panics, or communicates, the call returns an *OperatorError that names the rank where it did, at the ranks that wait
// for the result. In nonblocking operations and graphs only the rank that makes the call applies it; see
// RegisterOp.
//
// MPI 4.1 section 6.9.5 (MPI_Op_create).
func NewOp[T any](f func(inout, in []T), commutative bool) *Op[T] {
	if f == nil {
		return &Op[T]{op: new(coll.Op), err: errNoFunction}
	}
	size, _ := elementSize[T]() // a bad type is the error of the call that uses it
	bare := func(inout, in []byte) { f(elements[T](inout, size), elements[T](in, size)) }
	return &Op[T]{bare: bare, op: &coll.Op{
		Size: max(size, 1), Commutative: commutative,
		Apply: func(inout, in []byte) {
			if err := comm.Operate(func() { bare(inout, in) }); err != nil {
				panic(err)
			}
		},
	}}
}

// errNoOp is for a nil *Op, which get turns into nil.
var errNoOp = errors.New("the operator is nil: use Sum, Max and so on, or NewOp")

var errNoFunction = errors.New("the operator has no function: give NewOp one")

func (o *Op[T]) check() error {
	if o == nil || o.op == nil {
		return errNoOp
	}
	return o.err
}

func (o *Op[T]) get() *coll.Op {
	if o == nil {
		return nil
	}
	return o.op
}

// Sum adds. Arrays are summed as slices: Allreduce(c, nil, array[:], Sum[float64]()).
func Sum[T Number]() *Op[T] { return builtin[T](operator.Sum) }

// Prod multiplies.
func Prod[T Number]() *Op[T] { return builtin[T](operator.Prod) }

// Min takes the smaller one, or a NaN if there is one.
func Min[T Real]() *Op[T] { return builtin[T](operator.Min) }

// Max takes the greater one, or a NaN if there is one.
func Max[T Real]() *Op[T] { return builtin[T](operator.Max) }

// BAnd is the bitwise and.
func BAnd[T Integer]() *Op[T] { return builtin[T](operator.BAnd) }

// BOr is the bitwise or.
func BOr[T Integer]() *Op[T] { return builtin[T](operator.BOr) }

// BXor is the bitwise exclusive or.
func BXor[T Integer]() *Op[T] { return builtin[T](operator.BXor) }

// LAnd is the logical and.
func LAnd() *Op[bool] { return builtin[bool](operator.LAnd) }

// LOr is the logical or.
func LOr() *Op[bool] { return builtin[bool](operator.LOr) }

// LXor is the logical exclusive or.
func LXor() *Op[bool] { return builtin[bool](operator.LXor) }

// Loc is a value and where it comes from, such as a rank or an index.
type Loc[T Real] struct {
	Value T
	Index int
}

// MinLoc takes the smaller value with its index; of equal ones the lower index.
//
// MPI 4.1 section 6.9.4 (MPI_MINLOC).
func MinLoc[T Real]() *Op[Loc[T]] { return builtin[Loc[T]](operator.MinLoc) }

// MaxLoc takes the greater value with its index; of equal ones the lower index.
//
// MPI 4.1 section 6.9.4 (MPI_MAXLOC).
func MaxLoc[T Real]() *Op[Loc[T]] { return builtin[Loc[T]](operator.MaxLoc) }

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
