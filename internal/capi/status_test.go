package capi

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPartsOfAStatus(t *testing.T) {
	c := newProgram(t)
	memory := make([]byte, statusSize)
	at := address(c, memory)
	c.call("MPI_Status_set_source", at, 3)
	c.call("MPI_Status_set_tag", at, 4)
	c.call("MPI_Status_set_error", at, 5)
	for i, want := range []uint32{3, 4, 5} { // where a program finds them by itself
		require.Equal(t, want, binary.NativeEndian.Uint32(memory[4*i:]))
	}
	var v int32
	for name, want := range map[string]int32{"MPI_Status_get_source": 3, "MPI_Status_get_tag": 4,
		"MPI_Status_get_error": 5, "MPI_Test_cancelled": 0} {
		c.call(name, at, &v)
		require.Equal(t, want, v, name)
	}
	c.call("MPI_Status_set_cancelled", at, 7)
	c.call("MPI_Test_cancelled", at, &v)
	require.EqualValues(t, 1, v)
	require.Equal(t, ERR_ARG, c.try("MPI_Test_cancelled", uintptr(0), &v))
	require.Equal(t, ERR_ARG, c.try("MPI_Status_set_elements", uintptr(0), INT, 1))
}

// TestPackedStatus: programs of MPICH find the parts of a status at these places. A length has more than 32 bits beside
// the bit of a cancelled operation.
func TestPackedStatus(t *testing.T) {
	var s packedStatus
	require.EqualValues(t, 20, binary.Size(s))
	for _, cancelled := range []bool{true, false} {
		s.set(3, 4, 0x123456789, cancelled)
		require.Equal(t, cancelled, s.cancelled())
		require.Equal(t, packedStatus{0x23456789, 1<<1 | uint32(boolInt(cancelled)), 3, 4, 0}, s)
	}
	s.setCancelled(true)
	s.setLength(1<<62 + 5)
	require.True(t, s.cancelled())
	require.Equal(t, 1<<62+5, s.length())
	s.setCancelled(false)
	require.False(t, s.cancelled())
	require.Equal(t, 1<<62+5, s.length())
}
