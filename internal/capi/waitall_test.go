package capi

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// statusInts is how many ints a status is: source, tag, error and what is reserved.
const statusInts = statusSize / 4

// receives begins a receive of one int for each request, with its index as the tag.
func (c *program) receives(in []int32, requests []Request) {
	for i := range requests {
		c.call("MPI_Irecv", in[i:], 1, INT, 1, i, COMM_WORLD, requests[i:])
	}
}

// sends sends so many ints with a tag from rank 1.
func (c *program) sends(tag int, out ...int32) {
	c.call("MPI_Send", out, len(out), INT, 0, tag, COMM_WORLD)
}

// The same handle twice: by the second time it stands for nothing.
func TestWaitallOfOneHandleTwice(t *testing.T) {
	a, b := pairOfRanks(t)
	in, requests, statuses := make([]int32, 2), make([]Request, 2), make([]int32, 3*statusInts)
	a.receives(in, requests)
	b.sends(0, 7)
	b.sends(1, 8)
	twice := []Request{requests[0], requests[0], requests[1]}
	require.Equal(t, ERR_IN_STATUS, a.try("MPI_Waitall", 3, twice, statuses))
	require.Equal(t, []int32{7, 8}, in)
	require.Equal(t, []Request{REQUEST_NULL, requests[0], REQUEST_NULL}, twice)
	require.EqualValues(t, SUCCESS, statuses[2])
	require.EqualValues(t, ERR_REQUEST, statuses[statusInts+2])
	require.EqualValues(t, SUCCESS, statuses[2*statusInts+2])
}

// A message that is too long, between good ones: all are over, and the statuses tell which one it was.
func TestWaitallWithTruncation(t *testing.T) {
	for _, ignored := range []bool{false, true} {
		a, b := pairOfRanks(t)
		in, requests, statuses := make([]int32, 4), make([]Request, 3), make([]int32, 3*statusInts)
		a.receives(in, requests)
		b.sends(0, 7)
		b.sends(1, 8, 9)
		b.sends(2, 10)
		if ignored {
			require.Equal(t, ERR_IN_STATUS, a.try("MPI_Waitall", 3, requests, 0))
		} else {
			require.Equal(t, ERR_IN_STATUS, a.try("MPI_Waitall", 3, requests, statuses))
			for i, class := range []int{SUCCESS, ERR_TRUNCATE, SUCCESS} {
				require.EqualValues(t, []int{1, i, class}, ints(statuses[i*statusInts:][:3]))
			}
		}
		require.Equal(t, []int32{7, 8, 10, 0}, in)
		require.Equal(t, []Request{REQUEST_NULL, REQUEST_NULL, REQUEST_NULL}, requests)
	}
}

func ints(list []int32) (all []int) {
	for _, v := range list {
		all = append(all, int(v))
	}
	return all
}

// A receive that was cancelled, and one that is complete.
func TestWaitallOfCancelledAndComplete(t *testing.T) {
	a, b := pairOfRanks(t)
	in, requests, statuses := make([]int32, 2), make([]Request, 2), make([]int32, 2*statusInts)
	a.receives(in, requests)
	b.sends(1, 8)
	a.call("MPI_Cancel", requests)
	a.call("MPI_Waitall", 2, requests, statuses)
	require.Equal(t, []int32{0, 8}, in)
	require.Equal(t, []Request{REQUEST_NULL, REQUEST_NULL}, requests)
	for i, want := range []int32{1, 0} {
		cancelled := new(int32)
		a.call("MPI_Test_cancelled", statuses[i*statusInts:], cancelled)
		require.Equal(t, want, *cancelled)
	}
	require.Equal(t, []int{1, 1}, ints(statuses[statusInts:][:2]))
}

// Persistent requests, active or not, between messages, a send that was over when it began, and
// null ones.
func TestWaitallOfPersistentAndOthers(t *testing.T) {
	for _, ignored := range []bool{false, true} {
		a, b := pairOfRanks(t)
		in, requests, statuses := make([]int32, 4), make([]Request, 6), make([]int32, 6*statusInts)
		a.receives(in[:1], requests[:1])
		a.call("MPI_Recv_init", in[1:], 1, INT, 1, 1, COMM_WORLD, requests[1:])
		a.call("MPI_Start", requests[1:])
		requests[2] = REQUEST_NULL
		a.call("MPI_Recv_init", in[2:], 1, INT, 1, 2, COMM_WORLD, requests[3:]) // not started
		a.call("MPI_Isend", []int32{1}, 1, INT, 1, 9, COMM_WORLD, requests[4:])
		a.call("MPI_Irecv", in[3:], 1, INT, 1, 5, COMM_WORLD, requests[5:])
		for _, tag := range []int{0, 1, 5} {
			b.sends(tag, int32(10+tag))
		}
		active, idle := requests[1], requests[3]
		if ignored {
			a.call("MPI_Waitall", 6, requests, 0)
		} else {
			a.call("MPI_Waitall", 6, requests, statuses)
			for i, want := range [][]int{{1, 0}, {1, 1}, {ANY_SOURCE, ANY_TAG}, {ANY_SOURCE, ANY_TAG},
				{ANY_SOURCE, ANY_TAG}, {1, 5}} {
				require.Equal(t, want, ints(statuses[i*statusInts:][:2]), i)
			}
		}
		require.Equal(t, []int32{10, 11, 0, 15}, in)
		require.Equal(t, []Request{REQUEST_NULL, active, REQUEST_NULL, idle, REQUEST_NULL, REQUEST_NULL}, requests)
		for _, i := range []int{1, 3} {
			a.call("MPI_Request_free", requests[i:])
		}
		b.call("MPI_Recv", make([]int32, 1), 1, INT, 0, 9, COMM_WORLD, 0)
	}
}

// Wait and Test take messages by the same way as Waitall, and leave what is in error to the long one.
func TestWaitAndTestOfCompleteMessages(t *testing.T) {
	for _, name := range []string{"MPI_Wait", "MPI_Test"} {
		a, b := pairOfRanks(t)
		flag, status := new(int32), make([]int32, statusInts)
		wait := func(r []Request, status any) int {
			if name == "MPI_Wait" {
				return a.try(name, r, status)
			}
			*flag = -1
			class := a.try(name, r, flag, status)
			require.EqualValues(t, 1, *flag)
			return class
		}
		in, requests := make([]int32, 5), make([]Request, 4)
		a.receives(in, requests)
		b.sends(0, 7)
		b.sends(1, 8)
		b.sends(2, 9, 9)
		a.call("MPI_Cancel", requests[3:])
		for i, class := range []int{SUCCESS, SUCCESS, ERR_TRUNCATE, SUCCESS} {
			stale := []Request{requests[i]}
			if i == 1 {
				require.Equal(t, class, wait(requests[i:], 0)) // MPI_STATUS_IGNORE
			} else {
				require.Equal(t, class, wait(requests[i:], status))
				require.EqualValues(t, i == 3, status[3] != 0)
				if i < 3 {
					require.Equal(t, []int{1, i}, ints(status[:2]))
				}
			}
			require.Equal(t, REQUEST_NULL, requests[i])
			require.Equal(t, SUCCESS, wait(requests[i:], status), "of a null request")
			require.Equal(t, []int{ANY_SOURCE, ANY_TAG}, ints(status[:2]))
			if name == "MPI_Wait" {
				require.Equal(t, ERR_REQUEST, wait(stale, status))
			}
		}
		require.Equal(t, []int32{7, 8, 9, 0}, in[:4])
	}
}

// A test of what is not complete leaves it as it is.
func TestTestOfIncompleteMessage(t *testing.T) {
	a, b := pairOfRanks(t)
	in, requests, flag := make([]int32, 1), make([]Request, 1), new(int32)
	a.receives(in, requests)
	begun := requests[0]
	a.call("MPI_Test", requests, flag, 0)
	require.Zero(t, *flag)
	require.Equal(t, begun, requests[0])
	b.sends(0, 7)
	for *flag == 0 {
		a.call("MPI_Test", requests, flag, 0)
	}
	require.EqualValues(t, 7, in[0])
}

// The statuses have errors if and only if an operation has failed.
func TestErrorsOfSeveralStatuses(t *testing.T) {
	for _, call := range []string{"MPI_Waitsome", "MPI_Testsome", "MPI_Request_get_status_some",
		"MPI_Request_get_status_all"} {
		for _, length := range []int{1, 2} {
			a, b := pairOfRanks(t)
			in, requests, told := make([]int32, 4), make([]Request, 3), new(int32)
			statuses := slices.Repeat([]int32{77}, 2*statusInts)
			a.receives(in, requests)
			b.sends(0, 7)
			b.sends(1, make([]int32, length)...)
			b.sends(2, 9)
			a.call("MPI_Wait", requests[2:], 0)
			class, errors, args := SUCCESS, []int{77, 77}, []any{2, requests, told, make([]int32, 2), statuses}
			if length > 1 {
				class, errors = ERR_IN_STATUS, []int{SUCCESS, ERR_TRUNCATE}
			}
			if call == "MPI_Request_get_status_all" {
				args = []any{2, requests, told, statuses}
			}
			require.Equal(t, class, a.try(call, args...), call)
			require.NotZero(t, *told)
			require.Equal(t, errors, ints([]int32{statuses[2], statuses[statusInts+2]}), call)
		}
	}
}
