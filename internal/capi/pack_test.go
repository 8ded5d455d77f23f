package capi

import (
	"encoding/hex"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPackAndUnpack(t *testing.T) {
	c := newProgram(t)
	var column Type
	c.call("MPI_Type_vector", 3, 1, 2, INT, &column)
	c.call("MPI_Type_commit", &column)
	in, out, again := []int32{1, 2, 3, 4, 5, 6}, make([]byte, 17), make([]int32, 6)
	var position, size int32
	c.call("MPI_Pack_size", 1, column, COMM_SELF, &size)
	require.EqualValues(t, 12, size)
	c.call("MPI_Pack", in[5:], 1, INT, out, 17, &position, COMM_SELF)
	c.call("MPI_Pack", in, 1, column, out, 17, &position, COMM_SELF)
	require.EqualValues(t, 16, position)
	require.Equal(t, "06000000"+"01000000"+"03000000"+"05000000"+"00", hex.EncodeToString(out))
	require.Equal(t, ERR_TRUNCATE, c.try("MPI_Pack", in, 1, INT, out, 17, &position, COMM_SELF))
	require.EqualValues(t, 16, position)
	position = 4
	c.call("MPI_Unpack", out, 17, &position, again, 1, column, COMM_SELF)
	require.Equal(t, []int32{1, 0, 3, 0, 5, 0}, again)
	require.Equal(t, ERR_TRUNCATE, c.try("MPI_Unpack", out, 17, &position, again, 1, INT, COMM_SELF))
	position = -1
	require.Equal(t, ERR_ARG, c.try("MPI_Unpack", out, 17, &position, again, 1, INT, COMM_SELF))
}

func TestExternal32(t *testing.T) {
	c := newProgram(t)
	for _, x := range []struct {
		t        Type
		native   []byte
		external string
	}{
		{INT, []byte{1, 2, 3, 4}, "04030201"},
		{LONG, []byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, "fffffffe"},
		{UNSIGNED_LONG, []byte{1, 0, 0, 0x80, 0, 0, 0, 0}, "80000001"},
		{INT64_T, []byte{1, 2, 3, 4, 5, 6, 7, 8}, "0807060504030201"},
		{C_DOUBLE_COMPLEX, []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0},
			"3ff0000000000000c000000000000000"},
		{SHORT_INT, []byte{1, 2, 0, 0, 3, 4, 5, 6}, "020106050403"},
		{LONG_DOUBLE, []byte{0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f, 0, 0, 0, 0, 0, 0},
			"3fff0000000000000000000000000000"},
		{LONG_DOUBLE, []byte{1, 0, 0, 0, 0, 0, 0, 0xc0, 0x00, 0xc0, 0, 0, 0, 0, 0, 0},
			"c0008000000000000002000000000000"},
	} {
		external, again := make([]byte, len(x.external)/2), make([]byte, len(x.native))
		var position, size int64
		c.call("MPI_Pack_external_size", "external32", 1, x.t, &size)
		require.EqualValues(t, len(external), size)
		c.call("MPI_Pack_external", "external32", x.native, 1, x.t, external, len(external), &position)
		require.Equal(t, x.external, hex.EncodeToString(external))
		require.EqualValues(t, len(external), position)
		position = 0
		c.call("MPI_Unpack_external", "external32", external, len(external), &position, again, 1, x.t)
		require.Equal(t, x.native, again)
		require.EqualValues(t, len(external), position)
	}
	var position int64
	require.Equal(t, ERR_CONVERSION,
		c.try("MPI_Pack_external", "external32", []int64{math.MaxInt32 + 1}, 1, LONG, make([]byte, 4), 4, &position))
	require.Equal(t, ERR_UNSUPPORTED_DATAREP,
		c.try("MPI_Pack_external", "native", []int64{1}, 1, LONG, make([]byte, 4), 4, &position))
	require.Equal(t, ERR_TRUNCATE,
		c.try("MPI_Pack_external", "external32", []int64{1}, 1, LONG, make([]byte, 3), 3, &position))
}

func TestQuadsAreRoundedToNearest(t *testing.T) {
	for quad, extended := range map[string]string{
		"3fff0000000000000001000000000000": "0000000000000080ff3f", // a tie: to even
		"3fff0000000000000001000000000001": "0100000000000080ff3f",
		"3fffffffffffffffffffffffffffffff": "00000000000000800040", // up to 2
		"00000000000000000002000000000000": "01000000000000000000", // a denormal
		"0000ffffffffffffffffffffffffffff": "00000000000000800100", // the least normal number
		"7fff0000000000000000000000000000": "0000000000000080ff7f", // infinite
		"7fff0000000000000000000000000001": "00000000000000c0ff7f", // no number
	} {
		external, _ := hex.DecodeString(quad)
		native := make([]byte, 16)
		extendedOf(native, external)
		require.Equal(t, extended+"000000000000", hex.EncodeToString(native), quad)
	}
}
