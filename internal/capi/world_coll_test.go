package capi

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// column is a type of every second int.
func (c *rank) column(count int) Type {
	t := new(Type)
	c.call("MPI_Type_vector", count, 1, 2, INT, t)
	c.call("MPI_Type_commit", t)
	return *t
}

func TestCollectivesThatMove(t *testing.T) {
	onRanks(t, 3, func(c *rank) {
		me := int32(c.me)
		all := make([]int32, 3)
		c.call("MPI_Allgather", []int32{me}, 1, INT, all, 1, INT, COMM_WORLD)
		require.Equal(c, []int32{0, 1, 2}, all)
		in := []int32{9, me, 9}
		in[me] = me
		c.call("MPI_Allgather", IN_PLACE, 0, DATATYPE_NULL, in, 1, INT, COMM_WORLD)
		require.Equal(c, []int32{0, 1, 2}, in)

		// Blocks with gaps on the receiving side alone, in reverse.
		gaps := make([]int32, 12)
		c.call("MPI_Allgatherv", []int32{me, 10 + me}, 2, INT, gaps, []int32{1, 1, 1}, []int32{2, 1, 0},
			c.stride(), COMM_WORLD)
		require.Equal(c, []int32{2, 0, 12, 0, 1, 0, 11, 0, 0, 0, 10, 0}, gaps)

		buf := make([]int32, 4)
		if me == 1 {
			buf = []int32{1, 2, 3, 4}
			c.call("MPI_Bcast", buf, 4, INT, 1, COMM_WORLD)
		} else {
			wide := make([]int32, 8)
			c.call("MPI_Bcast", wide, 1, c.column(4), 1, COMM_WORLD)
			require.Equal(c, []int32{1, 0, 2, 0, 3, 0, 4, 0}, wide)
		}
		out, request := []int32{10 * me, 10*me + 1, 10*me + 2}, make([]Request, 1)
		c.call("MPI_Ialltoall", out, 1, INT, all, 1, INT, COMM_WORLD, request)
		c.call("MPI_Wait", request, 0)
		require.Equal(c, []int32{me, 10 + me, 20 + me}, all)
		require.Equal(c, ERR_ROOT, c.try("MPI_Bcast", buf, 1, INT, 3, COMM_WORLD))
		require.Equal(c, ERR_COUNT, c.try("MPI_Bcast", buf, -1, INT, 0, COMM_WORLD))
	})
}

// stride is two ints with one between, and an extent of four.
func (c *rank) stride() Type {
	t, resized := c.column(2), new(Type)
	c.call("MPI_Type_create_resized", t, 0, 16, resized)
	c.call("MPI_Type_commit", resized)
	return *resized
}

func TestCollectivesThatReduce(t *testing.T) {
	onRanks(t, 4, func(c *rank) {
		me := int32(c.me)
		out := []int32{0}
		c.call("MPI_Allreduce", []int32{me + 1}, out, 1, INT, SUM, COMM_WORLD)
		require.Equal(c, int32(10), out[0])
		out[0] = me + 1
		c.call("MPI_Allreduce", IN_PLACE, out, 1, INT, PROD, COMM_WORLD)
		require.Equal(c, int32(24), out[0])
		out[0] = -1
		c.call("MPI_Exscan", []int32{me}, out, 1, INT, SUM, COMM_WORLD)
		require.Equal(c, []int32{-1, 0, 1, 3}[me], out[0])
		request := make([]Request, 1)
		c.call("MPI_Reduce_scatter_init", []int32{1, 2, 3, 4}, out, []int32{1, 1, 1, 1}, INT, SUM,
			COMM_WORLD, INFO_NULL, request)
		for range 2 {
			c.call("MPI_Start", request)
			c.call("MPI_Wait", request, 0)
			require.Equal(c, 4*(me+1), out[0])
		}
		c.call("MPI_Request_free", request)
		require.Equal(c, ERR_OP, c.try("MPI_Allreduce", []float64{1}, []float64{1}, 1, DOUBLE, BAND, COMM_WORLD))
	})
}

// More nonblocking operations may be underway than have begun.
func TestManyNonblockingCollectives(t *testing.T) {
	onRanks(t, 2, func(c *rank) {
		const calls = 600
		in, sums, requests := make([]int32, calls), make([]int32, calls), make([]Request, calls)
		for i := range calls {
			in[i] = int32(i)
			c.call("MPI_Iallreduce", in[i:], sums[i:], 1, INT, SUM, COMM_WORLD, requests[i:])
		}
		c.call("MPI_Waitall", calls, requests, 0)
		for i, sum := range sums {
			require.Equal(c, 2*in[i], sum)
		}
	})
}

// Requests of collective operations cannot be cancelled, and not be freed while they are active. Rank 0
// begins each operation only after rank 1 has tried.
func TestRequestsOfCollectives(t *testing.T) {
	onRanks(t, 2, func(c *rank) {
		request, dup, kept := make([]Request, 1), new(Comm), make([]Request, 1)
		refused := func(begin func()) {
			if c.me == 0 {
				c.call("MPI_Recv", 0, 0, INT, 1, 7, COMM_WORLD, 0)
			}
			begin()
			if c.me == 1 {
				kept[0] = request[0]
				require.Equal(c, ERR_REQUEST, c.try("MPI_Cancel", request))
				require.Equal(c, ERR_REQUEST, c.try("MPI_Request_free", request))
				require.Equal(c, kept, request)
				c.call("MPI_Send", 0, 0, INT, 0, 7, COMM_WORLD)
			}
			c.call("MPI_Wait", request, 0)
		}
		refused(func() { c.call("MPI_Ibarrier", COMM_WORLD, request) })
		refused(func() { c.call("MPI_Comm_idup", COMM_WORLD, dup, request) })
		c.call("MPI_Comm_free", dup)
		c.call("MPI_Barrier_init", COMM_WORLD, INFO_NULL, request)
		refused(func() { c.call("MPI_Start", request) })
		c.call("MPI_Request_free", request)
	})
}

// A collective operation that MPI_Request_get_status has told to be complete can be freed.
func TestFreeOfCompleteCollectives(t *testing.T) {
	onRanks(t, 2, func(c *rank) {
		request, flag, sum := make([]Request, 1), []int32{0}, []int32{0}
		free := func() {
			for flag[0] = 0; flag[0] == 0; {
				c.call("MPI_Request_get_status", request[0], flag, 0)
			}
			c.call("MPI_Request_free", request)
			require.Equal(c, REQUEST_NULL, request[0])
		}
		for range 3 {
			sum[0] = 0
			c.call("MPI_Iallreduce", []int32{int32(c.me + 5)}, sum, 1, INT, SUM, COMM_WORLD, request)
			free()
			require.Equal(c, int32(11), sum[0])
		}
		sum[0] = 0
		c.call("MPI_Allreduce_init", []int32{2}, sum, 1, INT, SUM, COMM_WORLD, INFO_NULL, request)
		c.call("MPI_Start", request)
		free()
		require.Equal(c, int32(4), sum[0])
	})
}

// So can a persistent one that has failed: the call returns its error, and the handle is gone.
func TestFreeOfFailedCollective(t *testing.T) {
	onRanks(t, 2, func(c *rank) {
		c.call("MPI_Comm_set_errhandler", COMM_WORLD, ERRORS_RETURN)
		request := make([]Request, 1)
		c.call("MPI_Bcast_init", make([]int32, 2), 2-c.me, INT, 0, COMM_WORLD, INFO_NULL, request)
		c.call("MPI_Start", request)
		code, flag := 0, []int32{0}
		for flag[0] == 0 {
			code = c.try("MPI_Request_get_status", request[0], flag, 0)
		}
		if c.me == 1 {
			require.NotEqual(c, SUCCESS, code)
		}
		require.Equal(c, code, c.try("MPI_Request_free", request))
		require.Equal(c, REQUEST_NULL, request[0])
	})
}

// TestPersistentInAnyOrder: ranks start the same operations in different orders.
func TestPersistentInAnyOrder(t *testing.T) {
	onRanks(t, 2, func(c *rank) {
		requests, in, sum := make([]Request, 2), []int32{int32(c.me + 5)}, []int32{0}
		c.call("MPI_Bcast_init", in, 1, INT, 0, COMM_WORLD, INFO_NULL, requests)
		c.call("MPI_Allreduce_init", []int32{1}, sum, 1, INT, SUM, COMM_WORLD, INFO_NULL, requests[1:])
		c.call("MPI_Start", requests[c.me:])
		c.call("MPI_Start", requests[1-c.me:])
		c.call("MPI_Waitall", 2, requests, 0)
		require.Equal(c, []int32{5, 2}, []int32{in[0], sum[0]})
		c.call("MPI_Request_free", requests)
		c.call("MPI_Request_free", requests[1:])
	})
}

func TestIntercommunicators(t *testing.T) {
	onRanks(t, 5, func(c *rank) {
		half, inter, merged := new(Comm), new(Comm), new(Comm)
		left := c.me < 2
		color, remote := 0, 2
		if !left {
			color, remote = 1, 0
		}
		c.call("MPI_Comm_split", COMM_WORLD, color, 0, half)
		c.call("MPI_Intercomm_create", *half, 0, COMM_WORLD, remote, 4, inter)
		size, sum := new(int32), []int32{0}
		c.call("MPI_Comm_remote_size", *inter, size)
		require.Equal(c, map[bool]int32{true: 3, false: 2}[left], *size)
		c.call("MPI_Allreduce", []int32{int32(c.me)}, sum, 1, INT, SUM, *inter)
		require.Equal(c, map[bool]int32{true: 9, false: 1}[left], sum[0])
		root := 1 // of the left group
		if left {
			if root = PROC_NULL; c.me == 1 {
				root = ROOT
			}
		}
		sum[0] = int32(c.me)
		c.call("MPI_Bcast", sum, 1, INT, root, *inter)
		require.Equal(c, map[bool]int32{true: int32(c.me), false: 1}[left], sum[0])
		gathered := make([]int32, 3)
		c.call("MPI_Gather", []int32{int32(c.me)}, 1, INT, gathered, 1, INT, root, *inter)
		if root == ROOT {
			require.Equal(c, []int32{2, 3, 4}, gathered)
		}
		c.call("MPI_Intercomm_merge", *inter, map[bool]int{true: 1}[left], merged)
		me := new(int32)
		c.call("MPI_Comm_rank", *merged, me)
		require.Equal(c, int32((c.me+3)%5), *me)
		for _, free := range []*Comm{half, inter, merged} {
			c.call("MPI_Comm_free", free)
			require.Equal(c, COMM_NULL, *free)
		}
	})
}
