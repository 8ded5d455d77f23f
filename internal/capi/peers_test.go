package capi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/window"
)

// A rank that does not exist is passed on as it is, so that it is named, unless it means something below.
func TestPeerIn(t *testing.T) {
	for in, want := range map[int]int{0: 0, 7: 7, -77: -77, ROOT: ROOT, PROC_NULL: comm.ProcNull} {
		out, err := peerIn(in)
		require.NoError(t, err)
		require.Equal(t, want, out)
	}
	refused := map[int]string{comm.ProcNull: "is no rank"}
	refused[ANY_SOURCE] = "which is MPI_ANY_SOURCE" // in the face of MPICH it is the same number
	for in, says := range refused {
		_, err := peerIn(in)
		require.ErrorContains(t, err, fmt.Sprintf("rank %d", in))
		require.ErrorContains(t, err, says)
		require.Equal(t, ERR_RANK, classOf(err))
	}
	out, err := sourceIn(ANY_SOURCE)
	require.NoError(t, err)
	require.Equal(t, comm.AnySource, out)
}

// TestWindowOfNobody: operations on MPI_PROC_NULL do nothing, so they need no memory.
func TestWindowOfNobody(t *testing.T) {
	c := newProgram(t)
	c.p = newProcess()
	w := Win(c.p.windows.add(&windowObject{w: new(window.Window)}))
	for name, args := range map[string][]any{
		"MPI_Put":              {0, 1, INT, PROC_NULL, 0, 1, INT, w},
		"MPI_Get":              {0, 1, INT, PROC_NULL, 0, 1, INT, w},
		"MPI_Accumulate":       {0, 1, INT, PROC_NULL, 0, 1, INT, SUM, w},
		"MPI_Get_accumulate":   {0, 1, INT, 0, 1, INT, PROC_NULL, 0, 1, INT, SUM, w},
		"MPI_Fetch_and_op":     {0, 0, INT, PROC_NULL, 0, SUM, w},
		"MPI_Compare_and_swap": {0, 0, 0, INT, PROC_NULL, 0, w},
	} {
		require.Equal(t, SUCCESS, c.try(name, args...), name)
	}
	require.Equal(t, ERR_TYPE, c.try("MPI_Put", 0, 1, DATATYPE_NULL, PROC_NULL, 0, 1, DATATYPE_NULL, w))
}

// TestLongNamesOfPorts: a name for which Lookup_name has no room is not published.
func TestLongNamesOfPorts(t *testing.T) {
	onRanks(t, 1, func(c *rank) {
		for _, n := range []int{MAX_PORT_NAME, 10_000} {
			require.Equal(c, ERR_ARG, c.try("MPI_Publish_name", "service", INFO_NULL, strings.Repeat("x", n)))
		}
		require.Equal(c, ERR_ARG, c.try("MPI_Publish_name", "service", INFO_NULL, 0))
	})
}

// TestRootsThatAreNone: the calls that start and join processes name a wrong root as collective operations do.
func TestRootsThatAreNone(t *testing.T) {
	onRanks(t, 2, func(c *rank) {
		made := new(Comm)
		require.Equal(c, ERR_ROOT, c.try("MPI_Comm_spawn", "program", 0, 1, INFO_NULL, 2, COMM_WORLD, made, 0))
		for _, call := range []string{"MPI_Comm_accept", "MPI_Comm_connect"} {
			require.Equal(c, ERR_ROOT, c.try(call, "port", INFO_NULL, -1, COMM_WORLD, made))
		}
		require.Equal(c, ERR_ROOT, c.try("MPI_Bcast", 0, 0, INT, 2, COMM_WORLD))
	})
}
