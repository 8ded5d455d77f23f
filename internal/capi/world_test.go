package capi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/coll/operator"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// rank is a C program that is a rank of a job of goroutines.
type rank struct {
	*program
	me, size int
}

// onRanks runs f as so many ranks.
func onRanks(t *testing.T, ranks int, f func(*rank)) {
	t.Helper()
	root := jobtest.Create(t, job.Config{Ranks: ranks, BTL: job.BTLSM, CPUs: 2,
		Settings: job.Settings{Spin: testkit.Spin}}).Root()
	w := mem.New(root, mem.Options{})
	programs := make([]*rank, ranks)
	for me := range ranks {
		world := comm.NewWorld(root, me, w.Module(me), comm.Settings{},
			comm.Operators{Resolve: operator.Resolve, Describe: operator.Describe})
		c := newProgram(t)
		c.p = newProcess()
		c.p.initialized.Store(true)
		c.p.users = 1
		c.p.start(world, THREAD_MULTIPLE)
		c.p.become(running)
		programs[me] = &rank{c, me, ranks}
	}
	jobtest.Ranks(t, root, func(me int) error {
		f(programs[me])
		programs[me].call("MPI_Finalize")
		return nil
	})
}

func TestMessages(t *testing.T) {
	onRanks(t, 3, func(c *rank) {
		right, left := (c.me+1)%c.size, (c.me+c.size-1)%c.size
		for _, send := range []string{"MPI_Isend", "MPI_Issend", "MPI_Irsend", "MPI_Ibsend"} {
			c.call("MPI_Buffer_attach", make([]byte, 4096), 4096)
			out, in := []int32{int32(c.me), 7}, []int32{-1, -1, -1}
			requests := make([]Request, 2)
			statuses := make([]int32, 16)
			recv := requests[:1]
			c.call("MPI_Irecv", in, 3, INT, left, 5, COMM_WORLD, recv)
			c.call(send, out, 2, INT, right, 5, COMM_WORLD, requests[1:])
			c.call("MPI_Waitall", 2, requests, statuses)
			require.Equal(c, []int32{int32(left), 7, -1}, in, send)
			require.Equal(c, []Request{REQUEST_NULL, REQUEST_NULL}, requests)
			count := new(int32)
			c.call("MPI_Get_count", statuses, INT, count)
			require.Equal(c, []int32{int32(left), 5, 2}, []int32{statuses[0], statuses[1], *count})
			var at, size = new(uintptr), new(int32)
			c.call("MPI_Buffer_detach", at, size)
			require.Equal(c, int32(4096), *size)
		}
	})
}

// Waitall takes messages that are complete by a short way. Their statuses are in ranks of the communicator.
func TestWaitallOfCompleteMessages(t *testing.T) {
	onRanks(t, 3, func(c *rank) {
		reversed := make([]Comm, 1)
		c.call("MPI_Comm_split", COMM_WORLD, 0, c.size-c.me, reversed)
		me := c.size - 1 - c.me
		right, left := (me+1)%c.size, (me+c.size-1)%c.size
		in, requests, statuses := make([]int32, 2), make([]Request, 2), make([]int32, 16)
		for i := range in {
			c.call("MPI_Irecv", in[i:], 1, INT, left, i, reversed[0], requests[i:])
		}
		for i := range in {
			c.call("MPI_Send", []int32{int32(10*me + i)}, 1, INT, right, i, reversed[0])
		}
		for done := []int32{0}; done[0] == 0; { // the second message comes after the first
			c.call("MPI_Request_get_status", requests[1], done, 0)
		}
		c.call("MPI_Waitall", 2, requests, statuses)
		require.Equal(c, []int32{int32(10 * left), int32(10*left + 1)}, in)
		require.Equal(c, []Request{REQUEST_NULL, REQUEST_NULL}, requests)
		require.Equal(c, []int32{int32(left), 0, int32(left), 1}, append(statuses[:2:2], statuses[8:10]...))
	})
}

// A call that cannot give the program a request begins nothing.
func TestNullRequest(t *testing.T) {
	onRanks(t, 1, func(c *rank) {
		number, there := []int32{7}, []int32{0}
		nothing := func(call string, args ...any) { require.Equal(c, ERR_ARG, c.try(call, append(args, 0)...), call) }
		for _, send := range []string{"MPI_Isend", "MPI_Issend"} {
			nothing(send, number, 1, INT, 0, 5, COMM_WORLD)
		}
		nothing("MPI_Irecv", number, 1, INT, 0, 5, COMM_WORLD)
		nothing("MPI_Igatherv", number, 1, INT, number, 0, 0, INT, 0, COMM_WORLD)
		nothing("MPI_Barrier_init", COMM_WORLD, INFO_NULL)
		c.call("MPI_Iprobe", ANY_SOURCE, ANY_TAG, COMM_WORLD, there, 0)
		require.Equal(c, []int32{0}, there, "nothing was sent")
		c.call("MPI_Send", number, 1, INT, 0, 5, COMM_WORLD)
		c.call("MPI_Iprobe", 0, 5, COMM_WORLD, there, 0)
		require.Equal(c, []int32{1}, there, "nothing was received")
		c.call("MPI_Recv", number, 1, INT, 0, 5, COMM_WORLD, 0)
	})
}

// From nobody nothing is received, and no datatype is needed.
func TestMessagesOfNobodyWithoutType(t *testing.T) {
	onRanks(t, 2, func(c *rank) {
		status, requests := make([]int32, 8), make([]Request, 1)
		c.call("MPI_Recv", 0, 0, DATATYPE_NULL, PROC_NULL, 10, COMM_WORLD, status)
		require.Equal(c, []int32{PROC_NULL, ANY_TAG}, status[:2])
		c.call("MPI_Irecv", 0, 0, DATATYPE_NULL, PROC_NULL, 10, COMM_WORLD, requests)
		c.call("MPI_Waitall", 1, requests, status)
		require.Equal(c, []int32{PROC_NULL, ANY_TAG}, status[:2])
		c.call("MPI_Send", 0, 0, DATATYPE_NULL, PROC_NULL, 10, COMM_WORLD)
		c.call("MPI_Sendrecv", 0, 0, DATATYPE_NULL, PROC_NULL, 1, 0, 0, DATATYPE_NULL, PROC_NULL, 1, COMM_WORLD, status)
		require.Equal(c, []int32{PROC_NULL, ANY_TAG}, status[:2])
	})
}

func TestPersistentMessages(t *testing.T) {
	onRanks(t, 2, func(c *rank) {
		out, in := []int32{0}, []int32{0}
		requests := make([]Request, 2)
		c.call("MPI_Recv_init", in, 1, INT, 1-c.me, 1, COMM_WORLD, requests)
		c.call("MPI_Ssend_init", out, 1, INT, 1-c.me, 1, COMM_WORLD, requests[1:])
		for round := range int32(3) {
			out[0] = round + int32(c.me)
			c.call("MPI_Startall", 2, requests)
			require.Equal(c, ERR_REQUEST, c.try("MPI_Start", requests), "it is active")
			c.call("MPI_Waitall", 2, requests, 0)
			require.Equal(c, round+int32(1-c.me), in[0])
		}
		c.call("MPI_Request_free", requests)
		c.call("MPI_Request_free", requests[1:])
		require.Equal(c, ERR_REQUEST, c.try("MPI_Start", requests))
	})
}

func TestWaitsOfSeveral(t *testing.T) {
	onRanks(t, 2, func(c *rank) {
		if c.me == 1 {
			for i := range 3 {
				c.call("MPI_Send", []int32{int32(i)}, 1, INT, 0, i, COMM_WORLD)
			}
			return
		}
		in, requests := make([]int32, 4), make([]Request, 4)
		for i := range 4 {
			c.call("MPI_Irecv", in[i:], 1, INT, 1, i, COMM_WORLD, requests[i:]) // the last never comes
		}
		seen := map[int32]bool{}
		index, flag, count := new(int32), new(int32), new(int32)
		c.call("MPI_Waitany", 4, requests, index, 0)
		seen[*index] = true
		for len(seen) < 3 {
			indices := make([]int32, 4)
			c.call("MPI_Waitsome", 4, requests, count, indices, 0)
			for _, i := range indices[:*count] {
				require.False(c, seen[i])
				seen[i] = true
			}
		}
		require.Equal(c, []int32{0, 1, 2, 0}, in)
		c.call("MPI_Testany", 4, requests, index, flag, 0)
		require.Equal(c, int32(0), *flag)
		status := make([]int32, 8)
		c.call("MPI_Cancel", requests[3:])
		c.call("MPI_Wait", requests[3:], status)
		c.call("MPI_Test_cancelled", status, flag)
		require.Equal(c, int32(1), *flag)
		c.call("MPI_Waitany", 4, requests, index, 0)
		require.Equal(c, int32(UNDEFINED), *index)
	})
}

func TestMatchedProbe(t *testing.T) {
	onRanks(t, 2, func(c *rank) {
		if c.me == 0 {
			c.call("MPI_Send", []int32{5}, 1, INT, 1, 9, COMM_WORLD)
			return
		}
		message, status, in := new(Message), make([]int32, 8), []int32{0}
		c.call("MPI_Mprobe", ANY_SOURCE, ANY_TAG, COMM_WORLD, message, status)
		require.Equal(c, []int32{0, 9}, status[:2])
		c.call("MPI_Mrecv", in, 1, INT, message, 0)
		require.Equal(c, int32(5), in[0])
		require.Equal(c, MESSAGE_NULL, *message)
		require.Equal(c, ERR_REQUEST, c.try("MPI_Mrecv", in, 1, INT, message, 0))
		c.call("MPI_Mprobe", PROC_NULL, ANY_TAG, COMM_WORLD, message, status)
		c.call("MPI_Mrecv", in, 1, INT, message, status)
		require.Equal(c, []int32{PROC_NULL, ANY_TAG}, status[:2])
	})
}

func TestPartitionedMessages(t *testing.T) {
	onRanks(t, 2, func(c *rank) {
		const parts = 4
		buf, request, flag := make([]int32, 2*parts), make([]Request, 1), new(int32)
		if c.me == 1 {
			c.call("MPI_Precv_init", make([]int32, 1), 1, 1, INT, 0, 3, COMM_WORLD, INFO_NULL, request)
			c.call("MPI_Request_free", request) // the second of this tag has another on its way
			c.call("MPI_Precv_init", buf, 2, parts, INT, 0, 3, COMM_WORLD, INFO_NULL, request)
			c.call("MPI_Start", request)
			c.call("MPI_Parrived", request[0], 1, flag)
			require.Equal(c, int32(0), *flag, "nothing is ready before the barrier")
			c.call("MPI_Barrier", COMM_WORLD)
			status := make([]int32, 8)
			c.call("MPI_Wait", request, status)
			require.Equal(c, []int32{0, 1, 2, 3, 4, 5, 6, 7}, buf)
			require.Equal(c, []int32{0, 3}, status[:2])
		} else {
			c.call("MPI_Psend_init", buf, 1, 1, INT, 1, 3, COMM_WORLD, INFO_NULL, request)
			c.call("MPI_Request_free", request)
			c.call("MPI_Psend_init", buf, parts, 2, INT, 1, 3, COMM_WORLD, INFO_NULL, request)
			require.Equal(c, ERR_REQUEST, c.try("MPI_Pready", 0, request[0]), "it is not started")
			c.call("MPI_Start", request)
			for i := range buf {
				buf[i] = int32(i)
			}
			c.call("MPI_Pready_range", 1, 3, request[0])
			require.Equal(c, ERR_ARG, c.try("MPI_Pready", 2, request[0]))
			c.call("MPI_Barrier", COMM_WORLD)
			c.call("MPI_Pready", 0, request[0])
			c.call("MPI_Wait", request, 0)
		}
		c.call("MPI_Request_free", request)
	})
}

// A persistent request stays of use when its communicator was freed.
func TestPersistentRequestsOutliveTheirCommunicator(t *testing.T) {
	onRanks(t, 2, func(c *rank) {
		c.call("MPI_Buffer_attach", make([]byte, 4096), 4096)
		dup, requests, buf := make([]Comm, 1), make([]Request, 3), []int32{0, 0, 0}
		c.call("MPI_Comm_dup", COMM_WORLD, dup)
		if c.me == 0 {
			c.call("MPI_Bsend_init", buf[0:], 1, INT, 1, 1, dup[0], requests[0:])
			c.call("MPI_Psend_init", buf[1:], 1, 1, INT, 1, 2, dup[0], INFO_NULL, requests[1:])
			c.call("MPI_Send_init", buf[2:], 1, INT, 1, 3, dup[0], requests[2:])
		} else {
			c.call("MPI_Recv_init", buf[0:], 1, INT, 0, 1, dup[0], requests[0:])
			c.call("MPI_Precv_init", buf[1:], 1, 1, INT, 0, 2, dup[0], INFO_NULL, requests[1:])
			c.call("MPI_Recv_init", buf[2:], 1, INT, 0, 3, dup[0], requests[2:])
		}
		c.call("MPI_Comm_free", dup)
		for round := range int32(3) {
			if c.me == 0 {
				buf[0], buf[1], buf[2] = round, round+10, round+20
			}
			c.call("MPI_Startall", 3, requests)
			if c.me == 0 {
				c.call("MPI_Pready", 0, requests[1])
			}
			c.call("MPI_Waitall", 3, requests, 0)
			require.Equal(c, []int32{round, round + 10, round + 20}, buf)
		}
		for i := range requests {
			c.call("MPI_Request_free", requests[i:])
		}
	})
}
