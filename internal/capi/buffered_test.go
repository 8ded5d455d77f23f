package capi

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBuffersOfCommunicators: a communicator's own buffer has room, is full and is flushed whatever is in that of the
// process, which the receiver of its message only reads later.
func TestBuffersOfCommunicators(t *testing.T) {
	const long = 1 << 18
	onRanks(t, 2, func(c *rank) {
		dup, buf := new(Comm), make([]byte, long)
		c.call("MPI_Comm_dup", COMM_WORLD, dup)
		if c.me == 1 {
			c.call("MPI_Recv", buf, 4, BYTE, 0, 0, *dup, Address(0))
			c.call("MPI_Barrier", COMM_WORLD)
			c.call("MPI_Recv", buf, long, BYTE, 0, 0, COMM_WORLD, Address(0))
			c.call("MPI_Comm_free", dup)
			return
		}
		size, at, request := new(int32), new(Address), new(Request)
		c.call("MPI_Buffer_attach", make([]byte, long+BSEND_OVERHEAD), long+BSEND_OVERHEAD)
		c.call("MPI_Comm_attach_buffer", *dup, make([]byte, 4+BSEND_OVERHEAD), 4+BSEND_OVERHEAD)
		c.call("MPI_Bsend", buf, long, BYTE, 1, 0, COMM_WORLD)
		require.Equal(c, ERR_BUFFER, c.try("MPI_Bsend", buf, 1, BYTE, 1, 0, COMM_WORLD))
		require.Equal(c, ERR_BUFFER, c.try("MPI_Bsend", buf, 5, BYTE, 1, 0, *dup))
		c.call("MPI_Bsend", buf, 4, BYTE, 1, 0, *dup)
		c.call("MPI_Comm_flush_buffer", *dup)
		c.call("MPI_Comm_iflush_buffer", *dup, request)
		c.call("MPI_Wait", request, Address(0))
		c.call("MPI_Comm_detach_buffer", *dup, at, size)
		require.EqualValues(c, 4+BSEND_OVERHEAD, *size)
		require.Equal(c, ERR_BUFFER, c.try("MPI_Bsend", buf, 1, BYTE, 1, 0, *dup), "it is in the buffer of the process")
		c.call("MPI_Barrier", COMM_WORLD)
		c.call("MPI_Buffer_detach", at, size)
		require.EqualValues(c, long+BSEND_OVERHEAD, *size)
		c.call("MPI_Comm_free", dup)
	})
}
