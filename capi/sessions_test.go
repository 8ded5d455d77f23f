package capi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/job"
)

// TestBuffersOfSessions: a buffer counts from a call that has attached it to one that has taken it away, and
// no longer than the session. The world has its errors returned.
func TestBuffersOfSessions(t *testing.T) {
	onRanks(t, 1, func(c *rank) {
		s, at, size := new(Session), new(Address), new(int32)
		buffer, message, request := make([]byte, 4096), []int32{1}, new(Request)
		send := func() int {
			code := c.try("MPI_Ibsend", message, 1, INT, c.me, 3, COMM_WORLD, request)
			if code == SUCCESS {
				c.call("MPI_Wait", request, uintptr(0))
				c.call("MPI_Recv", message, 1, INT, c.me, 3, COMM_WORLD, uintptr(0))
			}
			return code
		}
		c.call("MPI_Session_init", INFO_NULL, ERRORS_RETURN, s)
		require.Equal(c, ERR_BUFFER, send(), "there is none")
		require.Equal(c, ERR_BUFFER, c.try("MPI_Session_detach_buffer", *s, at, size), "there is none to detach")
		c.call("MPI_Session_attach_buffer", *s, buffer, len(buffer))
		require.Equal(c, SUCCESS, send(), "a refused detach does not count")
		require.Equal(c, ERR_BUFFER, c.try("MPI_Session_attach_buffer", *s, buffer, len(buffer)), "a second one")
		c.call("MPI_Session_detach_buffer", *s, at, size)
		require.Equal(c, int32(len(buffer)), *size)
		require.Equal(c, ERR_BUFFER, send(), "a refused attach does not count")
		c.call("MPI_Session_attach_buffer", *s, buffer, len(buffer))
		c.call("MPI_Session_finalize", s)
		require.Equal(c, ERR_BUFFER, send(), "the buffer has ended with its session")
	})
}

// TestRefusedByTheJob: a process that finds no place in its job hears why at each attempt, and is not
// initialized.
func TestRefusedByTheJob(t *testing.T) {
	t.Setenv(job.EnvJob, "nonsense")
	c := newProgram(t)
	c.p = newProcess()
	flag := new(int32)
	for range 2 {
		require.ErrorContains(t, c.p.Init(Ref{}, 0), `PVAS_JOB="nonsense"`)
		c.call("MPI_Initialized", flag)
		require.Zero(t, *flag)
	}
	require.ErrorContains(t, c.p.join(THREAD_SINGLE), `PVAS_JOB="nonsense"`, "as MPI_Session_init does")
}
