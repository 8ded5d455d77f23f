package capi

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFixedSizesFollowTheHandle checks the sizes that the ABI codes in a handle.
func TestFixedSizesFollowTheHandle(t *testing.T) {
	n := 0
	for _, b := range basicTypes {
		if h := int(b.handle); h >= 0x240 && h < 0x280 || h >= 0x2c0 {
			require.Equal(t, 1<<(h>>3&7), b.size, b.name)
			n++
		}
	}
	require.Equal(t, 28, n)
}

func TestEveryDatatypeOfTheABIIsThere(t *testing.T) {
	present := 0
	for h := Type(firstPredefined); h <= Type(lastPredefined); h++ {
		o := predefinedType(h)
		if o == nil {
			continue
		}
		present++
		found, err := process.messageType(h)
		require.NoError(t, err)
		require.Same(t, o, found)
		same, err := process.handleOf(o)
		require.NoError(t, err)
		require.Equal(t, h, same)
	}
	require.Equal(t, 72, present) // those of both mpi.h but MPI_DATATYPE_NULL, other names and unsupported ones
	_, err := process.messageType(DATATYPE_NULL)
	require.Equal(t, ERR_TYPE, classOf(err))
}

// extents asks for all sizes of a type.
func extents(c *program, t Type) (size int32, lb, extent, trueLB, trueExtent int64) {
	c.call("MPI_Type_size", t, &size)
	c.call("MPI_Type_get_extent", t, &lb, &extent)
	c.call("MPI_Type_get_true_extent_x", t, &trueLB, &trueExtent)
	return
}

func TestPairsAreLaidOutAsInC(t *testing.T) {
	c := newProgram(t)
	for pair, want := range map[Type][2]int64{FLOAT_INT: {8, 8}, DOUBLE_INT: {12, 16},
		LONG_INT: {12, 16}, TWO_INT: {8, 8},
		SHORT_INT: {6, 8}, LONG_DOUBLE_INT: {20, 32}, TWO_REAL: {8, 8}, TWO_DOUBLE_PRECISION: {16, 16},
		TWO_COMPLEX: {16, 16}, TWO_DOUBLE_COMPLEX: {32, 32}, LB: {0, 0}, UB: {0, 0}} {
		size, lb, extent, _, _ := extents(c, pair)
		require.Equal(t, want, [2]int64{int64(size), extent})
		require.Zero(t, lb)
	}
}

// maker is a constructor with arguments, and what the envelope says of its result.
type maker struct {
	name      string
	args      []any
	combiner  int32
	integers  []int32
	addresses []int64
	counts    []int64
	types     []Type
}

var makers = []maker{
	{"MPI_Type_contiguous", []any{3, INT}, COMBINER_CONTIGUOUS, []int32{3}, nil, nil, []Type{INT}},
	{"MPI_Type_contiguous_c", []any{3, INT}, COMBINER_CONTIGUOUS, nil, nil, []int64{3}, []Type{INT}},
	{"MPI_Type_vector", []any{2, 3, -4, DOUBLE}, COMBINER_VECTOR, []int32{2, 3, -4}, nil, nil, []Type{DOUBLE}},
	{"MPI_Type_vector_c", []any{2, 3, -4, DOUBLE}, COMBINER_VECTOR, nil, nil, []int64{2, 3, -4}, []Type{DOUBLE}},
	{"MPI_Type_create_hvector", []any{2, 3, 40, DOUBLE}, COMBINER_HVECTOR, []int32{2, 3},
		[]int64{40}, nil, []Type{DOUBLE}},
	{"MPI_Type_create_hvector_c", []any{2, 3, 40, DOUBLE}, COMBINER_HVECTOR, nil, nil,
		[]int64{2, 3, 40}, []Type{DOUBLE}},
	{"MPI_Type_indexed", []any{2, []int32{1, 2}, []int32{5, 0}, CHAR}, COMBINER_INDEXED, []int32{2, 1, 2, 5, 0},
		nil, nil, []Type{CHAR}},
	{"MPI_Type_indexed_c", []any{2, []int64{1, 2}, []int64{5, 0}, CHAR}, COMBINER_INDEXED, nil, nil,
		[]int64{2, 1, 2, 5, 0}, []Type{CHAR}},
	{"MPI_Type_create_hindexed", []any{2, []int32{1, 2}, []int64{5, 0}, CHAR}, COMBINER_HINDEXED, []int32{2, 1, 2},
		[]int64{5, 0}, nil, []Type{CHAR}},
	{"MPI_Type_create_hindexed_c", []any{2, []int64{1, 2}, []int64{5, 0}, CHAR}, COMBINER_HINDEXED, nil, nil,
		[]int64{2, 1, 2, 5, 0}, []Type{CHAR}},
	{"MPI_Type_create_indexed_block", []any{2, 3, []int32{5, 0}, CHAR}, COMBINER_INDEXED_BLOCK, []int32{2, 3, 5, 0},
		nil, nil, []Type{CHAR}},
	{"MPI_Type_create_hindexed_block", []any{2, 3, []int64{5, 0}, CHAR}, COMBINER_HINDEXED_BLOCK, []int32{2, 3},
		[]int64{5, 0}, nil, []Type{CHAR}},
	{"MPI_Type_create_hindexed_block_c", []any{2, 3, []int64{5, 0}, CHAR}, COMBINER_HINDEXED_BLOCK, nil, nil,
		[]int64{2, 3, 5, 0}, []Type{CHAR}},
	{"MPI_Type_create_struct", []any{2, []int32{1, 2}, []int64{0, 8}, []Type{INT, DOUBLE}}, COMBINER_STRUCT,
		[]int32{2, 1, 2}, []int64{0, 8}, nil, []Type{INT, DOUBLE}},
	{"MPI_Type_create_struct_c", []any{2, []int64{1, 2}, []int64{0, 8}, []Type{INT, DOUBLE}}, COMBINER_STRUCT,
		nil, nil, []int64{2, 1, 2, 0, 8}, []Type{INT, DOUBLE}},
	{"MPI_Type_create_resized", []any{INT, -4, 16}, COMBINER_RESIZED, nil, []int64{-4, 16}, nil, []Type{INT}},
	{"MPI_Type_create_resized_c", []any{INT, -4, 16}, COMBINER_RESIZED, nil, nil, []int64{-4, 16}, []Type{INT}},
	{"MPI_Type_create_subarray", []any{2, []int32{4, 5}, []int32{2, 3}, []int32{1, 0}, ORDER_FORTRAN, INT},
		COMBINER_SUBARRAY,
		[]int32{2, 4, 5, 2, 3, 1, 0, ORDER_FORTRAN}, nil, nil, []Type{INT}},
	{"MPI_Type_create_subarray_c", []any{2, []int64{4, 5}, []int64{2, 3}, []int64{1, 0}, ORDER_C, INT},
		COMBINER_SUBARRAY,
		[]int32{2, ORDER_C}, nil, []int64{4, 5, 2, 3, 1, 0}, []Type{INT}},
	{"MPI_Type_create_darray", []any{4, 1, 2, []int32{8, 6}, []int32{DISTRIBUTE_CYCLIC, DISTRIBUTE_BLOCK},
		[]int32{2, DISTRIBUTE_DFLT_DARG}, []int32{2, 2}, ORDER_C, INT}, COMBINER_DARRAY,
		[]int32{4, 1, 2, 8, 6, DISTRIBUTE_CYCLIC, DISTRIBUTE_BLOCK, 2, DISTRIBUTE_DFLT_DARG, 2, 2, ORDER_C},
		nil, nil, []Type{INT}},
	{"MPI_Type_create_darray_c", []any{4, 1, 2, []int64{8, 6}, []int32{DISTRIBUTE_CYCLIC, DISTRIBUTE_BLOCK},
		[]int32{2, DISTRIBUTE_DFLT_DARG}, []int32{2, 2}, ORDER_C, INT}, COMBINER_DARRAY,
		[]int32{4, 1, 2, DISTRIBUTE_CYCLIC, DISTRIBUTE_BLOCK, 2, DISTRIBUTE_DFLT_DARG, 2, 2, ORDER_C}, nil,
		[]int64{8, 6}, []Type{INT}},
	{"MPI_Type_dup", []any{DOUBLE}, COMBINER_DUP, nil, nil, nil, []Type{DOUBLE}},
	{"MPI_Type_create_f90_real", []any{10, UNDEFINED}, COMBINER_F90_REAL, []int32{10, UNDEFINED}, nil, nil, nil},
	{"MPI_Type_create_f90_complex", []any{UNDEFINED, 30}, COMBINER_F90_COMPLEX, []int32{UNDEFINED, 30}, nil, nil, nil},
	{"MPI_Type_create_f90_integer", []any{12}, COMBINER_F90_INTEGER, []int32{12}, nil, nil, nil},
}

func TestContentsAreTheArguments(t *testing.T) {
	for _, m := range makers {
		t.Run(m.name, func(t *testing.T) {
			c := newProgram(t)
			var made Type
			c.call(m.name, append(slices.Clone(m.args), &made)...)
			var ni, na, nc, nd int64
			var combiner int32
			c.call("MPI_Type_get_envelope_c", made, &ni, &na, &nc, &nd, &combiner)
			require.Equal(t, m.combiner, combiner)
			require.Equal(t,
				[]int64{int64(len(m.integers)), int64(len(m.addresses)), int64(len(m.counts)), int64(len(m.types))},
				[]int64{ni, na, nc, nd})
			integers, addresses, counts, types := make([]int32, ni+1), make([]int64, na+1),
				make([]int64, nc+1), make([]Type, nd+1)
			c.call("MPI_Type_get_contents_c", made, int(ni), int(na), int(nc), int(nd), integers,
				addresses, counts, types)
			require.Equal(t, append(m.integers, 0), integers)
			require.Equal(t, append(m.addresses, 0), addresses)
			require.Equal(t, append(m.counts, 0), counts)
			require.Equal(t, append(m.types, 0), types)

			var n [4]int32
			small := c.try("MPI_Type_get_envelope", made, &n[0], &n[1], &n[2], &combiner)
			if nc > 0 {
				require.Equal(t, ERR_TYPE, small)
			} else {
				require.Equal(t, SUCCESS, small)
				require.Equal(t, [3]int32{int32(ni), int32(na), int32(nd)}, [3]int32(n[:3]))
			}
		})
	}
}

func TestContentsOfDerivedTypesHaveNewHandles(t *testing.T) {
	c := newProgram(t)
	var inner, outer Type
	c.call("MPI_Type_contiguous", 2, INT, &inner)
	c.call("MPI_Type_vector", 2, 1, 3, inner, &outer)
	c.call("MPI_Type_free", &inner)
	require.Equal(t, DATATYPE_NULL, inner)
	integers, addresses, types := make([]int32, 3), make([]int64, 1), make([]Type, 1)
	c.call("MPI_Type_get_contents", outer, 3, 0, 1, integers, addresses, types)
	size, _, extent, _, _ := extents(c, types[0])
	require.Equal(t, []int64{8, 8}, []int64{int64(size), extent})
	c.call("MPI_Type_free", &types[0])
	size, _, extent, _, _ = extents(c, outer)
	require.Equal(t, []int64{16, 32}, []int64{int64(size), extent})
	require.Equal(t, ERR_ARG, c.try("MPI_Type_get_contents", outer, 2, 0, 1, integers, addresses, types))
	require.Equal(t, ERR_TYPE, c.try("MPI_Type_get_contents", INT, 9, 9, 9, integers, addresses, types))
}

func TestF90TypesAreMadeOnce(t *testing.T) {
	c := newProgram(t)
	var a, b, other Type
	c.call("MPI_Type_create_f90_real", 15, 100, &a)
	c.call("MPI_Type_create_f90_real", 15, 100, &b)
	c.call("MPI_Type_create_f90_real", 6, 30, &other)
	require.Equal(t, a, b)
	require.NotEqual(t, a, other)
	require.Equal(t, ERR_TYPE, c.try("MPI_Type_free", &a))
	var n int32
	c.call("MPI_Type_size", other, &n)
	require.EqualValues(t, 4, n)
	require.Equal(t, ERR_ARG, c.try("MPI_Type_create_f90_real", UNDEFINED, UNDEFINED, &a))
	require.Equal(t, ERR_ARG, c.try("MPI_Type_create_f90_integer", 100, &a))
}

func TestBadArgumentsOfTypes(t *testing.T) {
	c := newProgram(t)
	var made Type
	require.Equal(t, ERR_TYPE, c.try("MPI_Type_contiguous", 1, Type(0x12345), &made))
	require.NotEqual(t, SUCCESS, c.try("MPI_Type_contiguous", -1, INT, &made))
	require.Equal(t, ERR_ARG, c.try("MPI_Type_indexed", -1, []int32{1}, []int32{1}, INT, &made))
	require.Equal(t, ERR_ARG, c.try("MPI_Type_indexed", 1, uintptr(0), []int32{1}, INT, &made))
	require.NotEqual(t, SUCCESS,
		c.try("MPI_Type_create_subarray", 1, []int32{4}, []int32{5}, []int32{0}, ORDER_C, INT, &made))
	require.Equal(t, ERR_ARG, c.try("MPI_Type_create_subarray", 1, []int32{4}, []int32{3}, []int32{0}, 1, INT, &made))
	require.NotEqual(t, SUCCESS, c.try("MPI_Type_contiguous_c", math.MaxInt, DOUBLE, &made))
	handle := INT
	require.Equal(t, ERR_TYPE, c.try("MPI_Type_free", &handle))
	c.call("MPI_Type_contiguous", 1, INT, &made)
	freed := made
	c.call("MPI_Type_free", &made)
	require.Equal(t, ERR_TYPE, c.try("MPI_Type_commit", &freed))
}

func TestSizesBeyondAnInt(t *testing.T) {
	c := newProgram(t)
	var made Type
	c.call("MPI_Type_contiguous", math.MaxInt32, DOUBLE, &made)
	var small int32
	var large int64
	c.call("MPI_Type_size", made, &small)
	c.call("MPI_Type_size_c", made, &large)
	require.EqualValues(t, UNDEFINED, small)
	require.EqualValues(t, 8*math.MaxInt32, large)
}

func TestNamesOfTypes(t *testing.T) {
	c := newProgram(t)
	name, n := make([]byte, MAX_OBJECT_NAME), int32(0)
	named := func(h Type) string {
		c.call("MPI_Type_get_name", h, name, &n)
		require.Zero(t, name[n])
		return string(name[:n])
	}
	require.Equal(t, "MPI_DOUBLE_INT", named(DOUBLE_INT))
	var made Type
	c.call("MPI_Type_contiguous", 1, INT, &made)
	require.Empty(t, named(made))
	c.call("MPI_Type_set_name", made, "row")
	require.Equal(t, "row", named(made))
}

func TestMatchSizeAndValueIndex(t *testing.T) {
	c := newProgram(t)
	var found Type
	for want, args := range map[Type][2]int{REAL8: {TYPECLASS_REAL, 8}, INTEGER2: {TYPECLASS_INTEGER, 2},
		COMPLEX16: {TYPECLASS_COMPLEX, 16}} {
		c.call("MPI_Type_match_size", args[0], args[1], &found)
		require.Equal(t, want, found)
	}
	require.Equal(t, ERR_ARG, c.try("MPI_Type_match_size", TYPECLASS_REAL, 3, &found))
	c.call("MPI_Type_get_value_index", DOUBLE, INT, &found)
	require.Equal(t, DOUBLE_INT, found)
	c.call("MPI_Type_get_value_index", CHAR, INT, &found)
	require.Equal(t, DATATYPE_NULL, found)
}

func TestCounts(t *testing.T) {
	c := newProgram(t)
	var record Type
	c.call("MPI_Type_create_struct", 2, []int32{1, 2}, []int64{0, 8}, []Type{INT, DOUBLE}, &record)
	for _, x := range []struct{ bytes, count, elements int }{{0, 0, 0}, {20, 1, 3}, {40, 2, 6}, {4, UNDEFINED, 1},
		{12, UNDEFINED, 2}, {13, UNDEFINED, UNDEFINED}} {
		var count, elements int32
		c.call("MPI_Get_count", c.status(x.bytes), record, &count)
		c.call("MPI_Get_elements", c.status(x.bytes), record, &elements)
		require.Equal(t, []int{x.count, x.elements}, []int{int(count), int(elements)}, x.bytes)
	}
	status := c.status(0)
	c.call("MPI_Status_set_elements_x", status, record, 5)
	require.Equal(t, 20+4+8, Status{status}.Bytes())
	require.Equal(t, ERR_COUNT, c.try("MPI_Status_set_elements", status, record, -1))
}

func TestMemoryOfMessages(t *testing.T) {
	c := newProgram(t)
	data := address(c, make([]float64, 10))
	b, err := process.buffer(Address(data), 10, DOUBLE)
	require.NoError(t, err)
	require.Equal(t, 80, len(b.Bytes))
	require.Equal(t, data, b.Place())

	var column, shifted Type
	c.call("MPI_Type_vector", 3, 1, 2, DOUBLE, &column)
	_, err = process.buffer(Address(data), 1, column)
	require.Equal(t, ERR_TYPE, classOf(err), "not committed")
	c.call("MPI_Type_commit", &column)
	b, err = process.buffer(Address(data), 1, column)
	require.NoError(t, err)
	require.Equal(t, 24, b.Len())
	require.NotNil(t, b.Layout)

	c.call("MPI_Type_create_hindexed", 1, []int32{4}, []int64{int64(data)}, DOUBLE, &shifted) // by its address
	c.call("MPI_Type_commit", &shifted)
	b, err = process.buffer(BOTTOM, 1, shifted)
	require.NoError(t, err)
	require.Equal(t, data, b.Place())
	require.Equal(t, 32, len(b.Bytes))

	_, err = process.buffer(BOTTOM, 1, DOUBLE)
	require.Equal(t, ERR_BUFFER, classOf(err))
	_, err = process.buffer(BOTTOM, 0, DOUBLE)
	require.NoError(t, err)
	_, err = process.buffer(Address(data), -1, DOUBLE)
	require.Equal(t, ERR_COUNT, classOf(err))
	_, err = process.buffer(Address(data), math.MaxInt, DOUBLE)
	require.Equal(t, ERR_COUNT, classOf(err))
}

func TestMemoryIsFoundWithoutAllocation(t *testing.T) {
	c := newProgram(t)
	data := Address(address(c, make([]float64, 10)))
	var column Type
	c.call("MPI_Type_vector", 3, 1, 2, DOUBLE, &column)
	c.call("MPI_Type_commit", &column)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		_, _ = process.buffer(data, 10, DOUBLE)
		_, _ = process.buffer(data, 1, column)
	}))
}

func TestAttributesOfTypesAreCopiedAndDeleted(t *testing.T) {
	c := newProgram(t)
	var key int32
	c.call("MPI_Type_create_keyval", uintptr(dupFunction), uintptr(0x77), &key, uintptr(0))
	var made, dup Type
	c.call("MPI_Type_contiguous", 2, INT, &made)
	c.call("MPI_Type_set_attr", made, int(key), uintptr(42))
	c.call("MPI_Type_dup", made, &dup)
	var value uintptr
	var flag int32
	c.call("MPI_Type_get_attr", dup, int(key), &value, &flag)
	require.EqualValues(t, 1, flag)
	require.EqualValues(t, 42, value)

	before, deleted := Upcall, []uintptr{}
	t.Cleanup(func() { Upcall = before })
	result := uintptr(0)
	Upcall = func(function uintptr, args []uintptr) uintptr {
		deleted = append(deleted, function, args[0], args[2])
		return result
	}
	handle := uintptr(made)
	c.call("MPI_Type_free", &made)
	require.Equal(t, []uintptr{0x77, handle, 42}, deleted)
	result = ERR_OTHER
	require.Equal(t, ERR_OTHER, c.try("MPI_Type_free", &dup))
	require.NotEqual(t, DATATYPE_NULL, dup, "the callback has refused")
	result = 0
	c.call("MPI_Type_free", &dup)
}

func TestProduct(t *testing.T) {
	for _, a := range []int{0, 1, -1, 2, -2, 3, 1 << 31, -1 << 32, 1 << 62, math.MaxInt, math.MinInt} {
		for _, b := range []int{0, 1, -1, 2, -2, 3, 1 << 31, -1 << 32, 1 << 62, math.MaxInt, math.MinInt} {
			got, err := product(a, b)
			if want := new(big.Int).Mul(big.NewInt(int64(a)), big.NewInt(int64(b))); want.IsInt64() {
				require.NoError(t, err)
				require.Equal(t, want.Int64(), int64(got))
			} else {
				require.Error(t, err, "%d times %d", a, b)
			}
		}
	}
}

// Blocks that no memory can hold are errors, also where their size is more than 64 bits.
func TestHugeBlocks(t *testing.T) {
	onRanks(t, 2, func(c *rank) {
		c.call("MPI_Comm_set_errhandler", COMM_WORLD, ERRORS_RETURN)
		vector := make([]Type, 1)
		c.call("MPI_Type_vector", 2, 1, 1<<20, INT, vector)
		c.call("MPI_Type_commit", vector)
		buf, requests := make([]int32, 8), make([]Request, 1)
		const huge = 1 << 62
		counts, places := []int64{1, 1}, []int64{0, huge}
		for _, of := range []Type{INT8_T, vector[0]} {
			require.Equal(c, ERR_COUNT, c.try("MPI_Allgather_c", buf, 1, INT, buf, huge, of, COMM_WORLD))
			require.Equal(c, ERR_COUNT, c.try("MPI_Alltoall_c", buf, huge, of, buf, huge, of, COMM_WORLD))
		}
		require.Equal(c, ERR_COUNT, c.try("MPI_Allgatherv_c", buf, 1, INT, buf, counts, places, vector[0], COMM_WORLD))
		require.Equal(c, ERR_COUNT,
			c.try("MPI_Allgatherv_c", buf, 1, INT, buf, counts, []int64{huge, huge}, INT, COMM_WORLD))
		require.Equal(c, ERR_ARG,
			c.try("MPI_Allgatherv_c", buf, 1, INT, buf, []int64{huge, huge}, []int64{0, huge}, INT, COMM_WORLD))
		require.Equal(c, ERR_ARG,
			c.try("MPI_Allgatherv_c", buf, 1, BYTE, buf, counts, []int64{-huge, huge}, BYTE, COMM_WORLD))
		require.Equal(c, ERR_COUNT, c.try("MPI_Reduce_scatter_block_c", buf, buf, huge, INT8_T, SUM, COMM_WORLD))
		require.Equal(c, ERR_COUNT,
			c.try("MPI_Psend_init", buf, 1<<31-1, huge, vector[0], 1, 3, COMM_WORLD, INFO_NULL, requests))
		c.call("MPI_Type_free", vector)
	})
}
