package mpi

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

type celsius float64

// TestOperatorsAreFoundByTheirNames: what a name stands for does what the operator does.
func TestOperatorsAreFoundByTheirNames(t *testing.T) {
	same(t, Sum[float64](), []float64{1, 2}, []float64{3, 4}, []float64{4, 6})
	same(t, Sum[celsius](), []celsius{1}, []celsius{3}, []celsius{4})
	same(t, Prod[complex128](), []complex128{2i}, []complex128{3i}, []complex128{-6})
	same(t, Min[int8](), []int8{-1, 5}, []int8{1, 4}, []int8{-1, 4})
	same(t, Max[uint16](), []uint16{1, 5}, []uint16{2, 4}, []uint16{2, 5})
	same(t, BAnd[uint32](), []uint32{6}, []uint32{3}, []uint32{2})
	same(t, BOr[int](), []int{6}, []int{3}, []int{7})
	same(t, BXor[byte](), []byte{6}, []byte{3}, []byte{5})
	same(t, LAnd(), []bool{true}, []bool{false}, []bool{false})
	same(t, LOr(), []bool{true}, []bool{false}, []bool{true})
	same(t, LXor(), []bool{true}, []bool{true}, []bool{false})
	same(t, MaxLoc[float32](), []Loc[float32]{{1, 7}}, []Loc[float32]{{1, 3}}, []Loc[float32]{{1, 3}})
	same(t, MinLoc[int64](), []Loc[int64]{{1, 7}}, []Loc[int64]{{0, 9}}, []Loc[int64]{{0, 9}})
}

func same[T any](t *testing.T, op *Op[T], inout, in, want []T) {
	t.Helper()
	name := op.get().Name
	require.NotZero(t, name&cad.Common)
	f := resolveOperator(name)
	require.NotNil(t, f)
	size := int(reflect.TypeFor[T]().Size())
	f(bytesOf(inout, size), bytesOf(in, size))
	require.Equal(t, want, inout)
}

func TestOperatorsWithoutANameHaveNoFunction(t *testing.T) {
	require.Zero(t, NewOp(func(_, _ []int) {}, true).get().Name, "there is no image to find it in")
}

// doubled is a function of elements of eight bytes.
func doubled(inout, in []int64) {
	for i := range inout {
		inout[i] += 2 * in[i]
	}
}

var registeredDouble = RegisterOp("mpi_test.doubled", doubled, false)

func TestRegisteredOperatorsAreFoundByTheirName(t *testing.T) {
	name := registeredDouble.get().Name
	require.NotZero(t, name)
	require.Zero(t, name&cad.Common, "only the same program knows it")
	a, b := []int64{1, 2, 3}, []int64{10, 20, 30}
	resolveOperator(name)(bytesOf(a, 8), bytesOf(b, 8))
	require.Equal(t, []int64{21, 42, 63}, a)

	other := RegisterOp("mpi_test.doubled", func(_, _ []int32) {}, true)
	require.NotEqual(t, name, other.get().Name, "another type of elements")
	twice := RegisterOp("mpi_test.doubled", doubled, false)
	require.ErrorContains(t, ReduceLocal(a, b, twice),
		`an operator "mpi_test.doubled" of this type is registered already`)
	require.Zero(t, NewOp(doubled, false).get().Name, "only its owner applies it")
}

// TestOperatorsAreMadeOnce: a call that names an operator makes nothing new.
func TestOperatorsAreMadeOnce(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	require.Same(t, Sum[float64](), Sum[float64]())
	require.Zero(t, testing.AllocsPerRun(100, func() {
		_, _, _, _ = Sum[float64](), Prod[complex64](), Min[int8](), Max[uint32]()
		_, _, _, _ = BAnd[int](), BOr[uint16](), BXor[uintptr](), MinLoc[float32]()
		_, _, _, _ = LAnd(), LOr(), LXor(), MaxLoc[int64]()
	}))
}
