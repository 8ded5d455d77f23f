package capi

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWrongHandlesAreNamed(t *testing.T) {
	for _, c := range []struct {
		h    uintptr
		text string
	}{
		{0, "0x0 is no communicator: it was never set"},
		{uintptr(COMM_NULL), "the communicator 0x100 is null"},
		{uintptr(INT), "0x209 is of kind datatype, not communicator"},
		{uintptr(SUM), "0x21 is of kind operator, not communicator"},
		{uintptr(REQUEST_NULL), "0x180 is of kind request, not communicator"},
		{0x406, "0x406 is of kind info object, not communicator"},
		{0x401, "the communicator 0x401 was freed, or never made"},
		{0x7fff12345678, "the communicator 0x7fff12345678 was freed, or never made"},
	} {
		err := wrongHandle(kindComm, c.h)
		require.ErrorContains(t, err, c.text)
		require.Equal(t, ERR_COMM, classOf(err))
	}
}

// TestNamesOfNullHandles: the names are those of the constants.
func TestNamesOfNullHandles(t *testing.T) {
	c := newProgram(t)
	for function, null := range map[string]any{"Comm_get_name COMM_NULL": COMM_NULL,
		"Type_get_name DATATYPE_NULL": DATATYPE_NULL,
		"Win_get_name WIN_NULL":       WIN_NULL} {
		function, want, _ := strings.Cut(function, " ")
		name, n := make([]byte, MAX_OBJECT_NAME), int32(0)
		c.call("MPI_"+function, null, name, &n)
		require.Equal(t, "MPI_"+want, string(name[:n]))
		require.Zero(t, name[n])
	}
}
