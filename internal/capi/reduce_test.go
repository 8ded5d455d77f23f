package capi

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReduceLocalWithPredefinedOperators(t *testing.T) {
	c := newProgram(t)
	doubles := []float64{1, 2}
	c.call("MPI_Reduce_local", []float64{10, 20}, doubles, 2, DOUBLE, SUM)
	require.Equal(t, []float64{11, 22}, doubles)
	ints := []int32{6, 0}
	c.call("MPI_Reduce_local", []int32{3, 5}, ints, 2, INT, BAND)
	require.Equal(t, []int32{2, 0}, ints)
	c.call("MPI_Reduce_local_c", []int32{3, 5}, ints, 2, LOGICAL, LXOR)
	require.Equal(t, []int32{0, 1}, ints)
	pairs := []int32{4, 7, 9, 1}
	c.call("MPI_Reduce_local", []int32{5, 3, 9, 0}, pairs, 2, TWO_INTEGER, MAXLOC)
	require.Equal(t, []int32{5, 3, 9, 0}, pairs)
	for op, wrong := range map[Op]Type{BAND: DOUBLE, SUM: LOGICAL, MAX: C_DOUBLE_COMPLEX, PROD: BYTE, MINLOC: INT,
		MIN: CHARACTER, REPLACE: INT,
		LAND: FLOAT, LOR: DOUBLE, LXOR: LONG_DOUBLE, BXOR: FLOAT} {
		require.Equal(t, ERR_OP, c.try("MPI_Reduce_local", doubles, doubles, 1, wrong, op))
	}
	require.Equal(t, ERR_OP, c.try("MPI_Reduce_local", doubles, doubles, 1, DOUBLE, OP_NULL))
	require.Equal(t, ERR_BUFFER, c.try("MPI_Reduce_local", IN_PLACE, doubles, 1, DOUBLE, SUM))
}

// weave has the program's function be f for the time of the test: inout = in f inout.
func weave(t *testing.T, f func(in, inout Ints, n int, handle Type)) (calls *int) {
	before, calls := Upcall, new(int)
	t.Cleanup(func() { Upcall = before })
	Upcall = func(function uintptr, args []uintptr) uintptr {
		require.EqualValues(t, 0x1234, function)
		*calls++
		f(Ints{args[0], false}, Ints{args[1], false}, Ref{args[2], false}.Get(), Ptr[Type]{args[3]}.Get())
		return 0
	}
	return calls
}

// join is not commutative: of two numbers it makes one with the digits of both.
func join(in, inout Ints, n int, _ Type) {
	for i := range n {
		inout.Set(i, in.At(i)*10+inout.At(i))
	}
}

func TestFunctionsOfTheProgramKeepTheOrder(t *testing.T) {
	c := newProgram(t)
	calls := weave(t, join)
	var op Op
	c.call("MPI_Op_create", uintptr(0x1234), 0, &op)
	var commutes int32
	c.call("MPI_Op_commutative", op, &commutes)
	require.Zero(t, commutes)
	inout := []int32{2, 4}
	c.call("MPI_Reduce_local", []int32{1, 3}, inout, 2, INT, op)
	require.Equal(t, []int32{12, 34}, inout)
	require.Equal(t, 1, *calls)

	r, err := process.reductionOf(op, INT)
	require.NoError(t, err)
	require.Zero(t, r.op.Name, "no rank may look for the function of another")
	require.False(t, r.op.Commutative)
	lower, higher := []int32{1, 3}, []int32{2, 4}
	low, _, _, err := r.operand(Address(address(c, lower)), 2)
	require.NoError(t, err)
	high, _, _, err := r.operand(Address(address(c, higher)), 2)
	require.NoError(t, err)
	r.op.Apply(low, high)
	require.Equal(t, []int32{12, 34}, lower)
	require.Equal(t, []int32{2, 4}, higher, "what others read stays as it is")

	c.call("MPI_Op_free", &op)
	require.Equal(t, OP_NULL, op)
	sum := SUM
	require.Equal(t, ERR_OP, c.try("MPI_Op_free", &sum))
	require.Equal(t, ERR_ARG, c.try("MPI_Op_create", uintptr(0), 0, &op))
}

// TestFunctionsOfTheProgramSeeTheType: the same operator on other types, and an operator that has
// the handle of one that was freed.
func TestFunctionsOfTheProgramSeeTheType(t *testing.T) {
	c := newProgram(t)
	var op Op
	for range 2 {
		c.call("MPI_Op_create", uintptr(0x1234), 1, &op)
		for _, handle := range []Type{INT, FLOAT, INT, INT} {
			calls := weave(t, func(_, _ Ints, n int, got Type) {
				require.Equal(t, handle, got)
				require.Equal(t, 3, n)
			})
			c.call("MPI_Reduce_local", make([]int32, 3), make([]int32, 3), 3, handle, op)
			require.Equal(t, 1, *calls)
		}
		c.call("MPI_Op_free", &op)
	}
}

// TestFunctionsOfTheProgramSeeTheLayout: elements lie in the copy as in the program.
func TestFunctionsOfTheProgramSeeTheLayout(t *testing.T) {
	for _, x := range []struct {
		name  string
		make  func(c *program) Type
		calls int // for two elements
	}{
		{"a gap behind", func(c *program) (t Type) { c.call("MPI_Type_create_resized", INT, 0, 8, &t); return }, 1},
		{"a gap before", func(c *program) (t Type) {
			c.call("MPI_Type_create_indexed_block", 1, 1, []int32{1}, INT, &t)
			c.call("MPI_Type_create_resized", t, 0, 8, &t)
			return
		}, 1},
		{"much between", func(c *program) (t Type) { c.call("MPI_Type_create_resized", INT, 0, 400, &t); return }, 2},
		{"backwards", func(c *program) (t Type) { c.call("MPI_Type_create_resized", INT, 0, -8, &t); return }, 2},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := newProgram(t)
			made := x.make(c)
			c.call("MPI_Type_commit", &made)
			o, err := process.typeOf(made)
			require.NoError(t, err)
			lb, _ := o.TrueExtent()
			_, extent := o.Extent()
			calls := weave(t, func(in, inout Ints, n int, handle Type) {
				require.Equal(t, made, handle)
				for i := range n {
					at := int(lb)/4 + i*int(extent)/4
					inout.Set(at, in.At(at)*10+inout.At(at))
				}
			})
			var op Op
			c.call("MPI_Op_create", uintptr(0x1234), 1, &op)
			in, inout, middle := make([]int32, 300), make([]int32, 300), 150
			for i := range in {
				in[i], inout[i] = 1, 2
			}
			c.call("MPI_Reduce_local", in[middle:], inout[middle:], 2, made, op)
			require.Equal(t, x.calls, *calls)
			for i := range inout {
				want := int32(2)
				if d := i - middle - int(lb)/4; d == 0 || d == int(extent)/4 {
					want = 12
				}
				require.Equal(t, want, inout[i], i-middle)
			}
		})
	}
}

// Vectors for which there is no memory, in numbers that fit into 64 bits.
func TestVectorsThatAreTooLong(t *testing.T) {
	c := newProgram(t)
	column, op, a, b := new(Type), new(Op), make([]int32, 4), make([]int32, 4)
	c.call("MPI_Type_vector", 2, 1, 2, INT, column)
	c.call("MPI_Type_commit", column)
	c.call("MPI_Op_create", uintptr(0x1234), 1, op)
	require.Equal(t, ERR_COUNT, c.try("MPI_Reduce_local_c", a, b, 1<<60, SHORT_INT, MINLOC))
	require.Equal(t, ERR_NO_MEM, c.try("MPI_Reduce_local_c", a, b, 1<<45, *column, *op))
	c.call("MPI_Op_free", op)
	c.call("MPI_Type_free", column)
}
