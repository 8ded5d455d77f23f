package capi

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/coll/operator"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// pairOfRanks returns two ranks of a job that call MPI by turns, in one goroutine. So a call
// must not need the other rank.
func pairOfRanks(t testing.TB) (a, b *program) {
	t.Helper()
	memory := jobtest.Create(t, job.Config{Ranks: 2, BTL: job.BTLSM, CPUs: 2})
	w := mem.New(memory.Root(), mem.Options{})
	var both [2]*program
	for me := range both {
		c := newProgram(t)
		c.p = newProcess()
		c.p.start(comm.NewWorld(memory.Root(), me, w.Module(me), comm.Settings{},
			comm.Operators{Resolve: operator.Resolve, Describe: operator.Describe}), THREAD_SINGLE)
		comm.OneThread(c.p.world.c, func() {})
		c.p.become(running)
		both[me] = c
	}
	return both[0], both[1]
}

// Numbers of package job that the library has in C: the handler of fatal signals writes states of a rank, and the
// timer slacks of the launcher are told from others.
func TestNumbersOfJobInC(t *testing.T) {
	for file, has := range map[string]string{
		"faults.c":  fmt.Sprintf("enum { STATE_INIT = %d, STATE_FAULTED = %d };", job.StateInit, job.StateFaulted),
		"monitor.c": fmt.Sprintf("LAUNCHER_SLACK = %d, USUAL_SLACK", job.MonitorSlack),
	} {
		text, err := os.ReadFile(filepath.Join("../../cmd/libmpi", file))
		require.NoError(t, err)
		require.Contains(t, string(text), has)
	}
}

// A rank calls short functions at any rate, so they leave nothing to collect.
func TestShortCallsAllocateNothing(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector empties pools at random")
	}
	a, b := pairOfRanks(t)
	const n = 8
	out, in, flag, index := make([]int32, n), make([]int32, n), new(int32), new(int32)
	requests, received, indices := make([]Request, n), make([]Request, n), make([]int32, n)
	statuses := make([]int32, 8*n)
	var isend, irecv, isends, wait, test []func()
	for i := range n {
		isend = append(isend, a.prepare("MPI_Isend", out[i:], 1, INT, 1, i, COMM_WORLD, requests[i:]))
		isends = append(isends, a.prepare("MPI_Issend", out[i:], 1, INT, 1, i, COMM_WORLD, requests[i:]))
		irecv = append(irecv, b.prepare("MPI_Irecv", in[i:], 1, INT, 0, i, COMM_WORLD, received[i:]))
		wait = append(wait, b.prepare("MPI_Wait", received[i:], statuses[8*i:]))
		test = append(test, b.prepare("MPI_Test", received[i:], flag, statuses[8*i:]))
	}
	waitall := func(c *program, r []Request) []func() {
		return []func(){c.prepare("MPI_Waitall", n, r, statuses)}
	}
	each := func(name string, args ...any) (calls []func()) {
		for range n {
			calls = append(calls, b.prepare(name, args...))
		}
		return calls
	}
	sent := waitall(a, requests)
	testall := []func(){b.prepare("MPI_Testall", n, received, flag, 0)}
	anyOf := each("MPI_Waitany", n, received, index, statuses)
	testany := each("MPI_Testany", n, received, index, flag, statuses)
	some := []func(){b.prepare("MPI_Waitsome", n, received, index, indices, statuses)}
	for name, steps := range map[string][][]func(){
		"Isend, Irecv, Waitall":  {isend, irecv, sent, waitall(b, received)},
		"Irecv, Isend, Waitall":  {irecv, isend, waitall(b, received), sent},
		"Issend, Irecv, Wait":    {isends, irecv, wait, sent},
		"Isend, Irecv, Test":     {isend, irecv, test, sent},
		"Isend, Irecv, Testall":  {irecv, testall, isend, testall, sent},
		"Isend, Irecv, Waitany":  {irecv, isend, anyOf, sent},
		"Isend, Irecv, Testany":  {irecv, isend, testany, sent},
		"Isend, Irecv, Waitsome": {irecv, isend, some, sent},
		"Send, Recv": {{a.prepare("MPI_Send", out, 1, INT, 1, 0, COMM_WORLD),
			b.prepare("MPI_Recv", in, 1, INT, 0, 0, COMM_WORLD, statuses)}},
		"Iprobe": {{b.prepare("MPI_Iprobe", ANY_SOURCE, ANY_TAG, COMM_WORLD, flag, statuses)}},
	} {
		require.Zero(t, testing.AllocsPerRun(100, func() {
			for _, calls := range steps {
				for _, call := range calls {
					call()
				}
			}
		}), name)
	}
}

// A handle is found to be stale when its place has another request.
func TestStaleRequests(t *testing.T) {
	a, _ := pairOfRanks(t)
	requests, stale, flag, index := make([]Request, 1), make([]Request, 1), new(int32), new(int32)
	in := make([]int32, 1)
	irecv := a.prepare("MPI_Irecv", in, 1, INT, 1, 0, COMM_WORLD, requests)
	for range 100 { // fewer than the uses that a handle tells apart
		irecv()
		stale[0] = requests[0]
		a.call("MPI_Cancel", requests)
		a.call("MPI_Wait", requests, 0)
		irecv()
		require.NotEqual(t, stale[0], requests[0])
		require.Equal(t, placeOf(uintptr(stale[0])), placeOf(uintptr(requests[0])))
		for _, wrong := range []Request{stale[0], requests[0] &^ kindMask, requests[0] + 1<<kindBits, 1 << 40} {
			stale[0] = wrong
			require.Equal(t, ERR_REQUEST, a.try("MPI_Wait", stale, 0))
			require.Equal(t, ERR_REQUEST, a.try("MPI_Test", stale, flag, 0))
			require.Equal(t, ERR_REQUEST, a.try("MPI_Waitall", 1, stale, 0))
			require.Equal(t, ERR_REQUEST, a.try("MPI_Waitany", 1, stale, index, 0))
			require.Equal(t, ERR_REQUEST, a.try("MPI_Testall", 1, stale, flag, 0))
			require.Equal(t, ERR_REQUEST, a.try("MPI_Request_free", stale))
			require.Equal(t, ERR_REQUEST, a.try("MPI_Cancel", stale))
		}
		a.call("MPI_Cancel", requests)
		a.call("MPI_Wait", requests, 0)
		require.Equal(t, REQUEST_NULL, requests[0])
	}
}

// A request that was freed has no handle, although its operation goes on.
func TestHandleOfFreedRequest(t *testing.T) {
	a, b := pairOfRanks(t)
	in, flag, requests := make([]int32, 1), new(int32), make([]Request, 1)
	a.call("MPI_Irecv", in, 1, INT, 1, 0, COMM_WORLD, requests)
	copied := []Request{requests[0]}
	a.call("MPI_Request_free", requests)
	require.Equal(t, ERR_REQUEST, a.try("MPI_Test", copied, flag, 0))
	b.call("MPI_Send", []int32{5}, 1, INT, 0, 0, COMM_WORLD)
	a.call("MPI_Iprobe", 1, 1, COMM_WORLD, flag, 0)
	require.EqualValues(t, 5, in[0])
	require.Equal(t, ERR_REQUEST, a.try("MPI_Wait", copied, 0))
}

// The operation of a request that was freed goes on; the place of the request is used anew.
func TestFreedRequestsGoOn(t *testing.T) {
	a, b := pairOfRanks(t)
	in, out, requests := make([]int32, 100), make([]int32, 100), make([]Request, 100)
	for i := range in {
		a.call("MPI_Irecv", in[i:], 1, INT, 1, i, COMM_WORLD, requests[i:])
		if i%2 == 0 {
			a.call("MPI_Request_free", requests[i:])
		}
	}
	for i := range out {
		out[i] = int32(i + 1)
		b.call("MPI_Send", out[i:], 1, INT, 0, i, COMM_WORLD)
	}
	a.call("MPI_Waitall", len(requests), requests, 0)
	require.Equal(t, out, in)
}

// BenchmarkCalls is the time of a message of each way, both calls and the wait of both ranks.
func BenchmarkCalls(b *testing.B) {
	x, y := pairOfRanks(b)
	const n = 64
	out, in, flag := make([]byte, 8*n), make([]byte, 8*n), new(int32)
	requests, received := make([]Request, n), make([]Request, n)
	var isend, irecv []func()
	for i := range n {
		isend = append(isend, x.prepare("MPI_Isend", out[8*i:], 8, CHAR, 1, 0, COMM_WORLD, requests[i:]))
		irecv = append(irecv, y.prepare("MPI_Irecv", in[8*i:], 8, CHAR, 0, 0, COMM_WORLD, received[i:]))
	}
	sent, waitall := x.prepare("MPI_Waitall", n, requests, 0), y.prepare("MPI_Waitall", n, received, 0)
	b.Run("call=window", func(b *testing.B) {
		for i := 0; i < b.N; i += n {
			for _, call := range irecv {
				call()
			}
			for _, call := range isend {
				call()
			}
			sent()
			waitall()
		}
	})
	for name, call := range map[string]func(){
		"Query_thread": x.prepare("MPI_Query_thread", flag),
		"Iprobe":       x.prepare("MPI_Iprobe", 1, 0, COMM_WORLD, flag, 0),
	} {
		b.Run("call="+name, func(b *testing.B) {
			for b.Loop() {
				call()
			}
		})
	}
}
