package capi

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSendrecvOfOneBuffer: to send from memory that is received into is an error, and nothing else is.
func TestSendrecvOfOneBuffer(t *testing.T) {
	onRanks(t, 2, func(c *rank) {
		other, a, r := 1-c.me, make([]int32, 8), make([]Request, 1)
		column, odd := new(Type), make([]int32, 7)
		c.call("MPI_Type_vector", 3, 1, 2, INT, column)
		c.call("MPI_Type_commit", column)
		both := func(out []int32, n int, in []int32, m int, t Type) (blocking, begun int) {
			blocking = c.try("MPI_Sendrecv", out, n, t, other, 0, in, m, t, other, 0, COMM_WORLD, 0)
			if begun = c.try("MPI_Isendrecv", out, n, t, other, 0, in, m, t, other, 0,
				COMM_WORLD, r); begun == SUCCESS {
				c.call("MPI_Wait", r, 0)
			}
			return blocking, begun
		}
		for i, wrong := range []func() (int, int){
			func() (int, int) { return both(a, 1, a, 1, INT) },
			func() (int, int) { return both(a, 4, a[3:], 4, INT) },
			func() (int, int) { return both(a, 1, a, 1, *column) },
			func() (int, int) { return both(a, 1, a[2:], 1, *column) },
		} {
			blocking, begun := wrong()
			require.Equal(c, []int{ERR_BUFFER, ERR_BUFFER}, []int{blocking, begun}, i)
		}
		for i, right := range []func() (int, int){
			func() (int, int) { return both(a, 4, a[4:], 4, INT) },
			func() (int, int) { return both(a, 1, a[1:], 1, *column) },
			func() (int, int) { return both(a, 0, a, 0, INT) },
		} {
			blocking, begun := right()
			require.Equal(c, []int{SUCCESS, SUCCESS}, []int{blocking, begun}, i)
		}
		odd[0] = int32(c.me)
		c.call("MPI_Sendrecv_replace", odd, 1, INT, other, 0, other, 0, COMM_WORLD, 0)
		require.EqualValues(c, other, odd[0])
		c.call("MPI_Isendrecv_replace", odd, 1, INT, other, 0, other, 0, COMM_WORLD, r)
		c.call("MPI_Wait", r, 0)
		require.EqualValues(c, c.me, odd[0])
		c.call("MPI_Sendrecv", a, 1, INT, PROC_NULL, 0, a, 1, INT, PROC_NULL, 0, COMM_WORLD, 0)
		c.call("MPI_Type_free", column)
	})
}
