package capi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
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

// TestAttributesOfSessions: communicators made from groups, and from those, have MPI_TAG_UB only.
func TestAttributesOfSessions(t *testing.T) {
	onRanks(t, 2, func(c *rank) {
		s, g, of, dup, part := new(Session), new(Group), new(Comm), new(Comm), new(Comm)
		c.call("MPI_Session_init", INFO_NULL, ERRORS_RETURN, s)
		c.call("MPI_Group_from_session_pset", *s, "mpi://WORLD", g)
		c.call("MPI_Comm_create_from_group", *g, "attributes", INFO_NULL, ERRORS_RETURN, of)
		c.call("MPI_Comm_dup", *of, dup)
		c.call("MPI_Comm_split", *dup, 0, 0, part)
		for key := TAG_UB; key <= UNIVERSE_SIZE; key++ {
			value, flag := new(uintptr), new(int32)
			for _, h := range []Comm{*of, *dup, *part} {
				c.call("MPI_Comm_get_attr", h, key, value, flag)
				require.Equal(c, key == TAG_UB, *flag != 0, "key %d", key)
			}
			c.call("MPI_Comm_get_attr", COMM_WORLD, key, value, flag)
			require.Equal(c, key != APPNUM, *flag != 0, "key %d", key)
		}
		for _, h := range []*Comm{part, dup, of} {
			c.call("MPI_Comm_free", h)
		}
		c.call("MPI_Group_free", g)
		c.call("MPI_Session_finalize", s)
	})
}

// TestGroupsThatMeet: the rank of the remote leader counts on the leaders alone. A group without ranks meets nobody. A
// refused call leaves no communicator, whose number the next one would not have then: the calls that are refused come
// first, as numbers of communicators with other ranks come back whenever those have freed theirs.
func TestGroupsThatMeet(t *testing.T) {
	onRanks(t, 3, func(c *rank) {
		world, own, other, made, dup := new(Group), new(Group), new(Group), new(Comm), new(Comm)
		c.call("MPI_Comm_group", COMM_WORLD, world)
		number := func() uint32 {
			c.call("MPI_Comm_dup", COMM_SELF, dup)
			on, err := c.p.comm(*dup)
			require.NoError(c, err)
			id := on.c.ID()
			c.call("MPI_Comm_free", dup)
			return id
		}
		first := number()
		c.call("MPI_Group_incl", *world, 1, []int32{int32(c.me)}, own)
		for _, wrong := range []int{0, 7} { // itself, and nobody
			require.NotEqual(c, SUCCESS, c.try("MPI_Intercomm_create_from_groups", *own, 0, *own, wrong, "wrong",
				INFO_NULL, ERRORS_RETURN, made))
			require.Equal(c, first, number())
		}
		c.call("MPI_Group_free", own)
		c.call("MPI_Group_incl", *world, 1, []int32{0}, own)
		c.call("MPI_Group_excl", *world, 1, []int32{0}, other)
		leader, remote := 0, 1 // of the ranks 1 and 2 the second leads
		if c.me > 0 {
			own, other, leader, remote = other, own, 1, 0
		}
		if c.me == 1 {
			remote = 77
		}
		c.call("MPI_Intercomm_create_from_groups", *own, leader, *other, remote, "meet", INFO_NULL, ERRORS_RETURN, made)
		size := new(int32)
		c.call("MPI_Comm_remote_size", *made, size)
		require.Equal(c, c.me == 0, *size == 2)
		c.call("MPI_Comm_free", made)
		for _, groups := range [][2]Group{{GROUP_EMPTY, *other}, {*own, GROUP_EMPTY}} {
			*made = COMM_SELF
			c.call("MPI_Intercomm_create_from_groups", groups[0], 0, groups[1], 0, "", INFO_NULL, ERRORS_RETURN, made)
			require.Equal(c, COMM_NULL, *made)
		}
		for _, g := range []*Group{world, own, other} {
			c.call("MPI_Group_free", g)
		}
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
