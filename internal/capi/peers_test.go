package capi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/comm"
)

// A rank that does not exist is passed on as it is, so that it is named, unless it means something below.
func TestPeerIn(t *testing.T) {
	for in, want := range map[int]int{0: 0, 7: 7, -77: -77, ROOT: ROOT, PROC_NULL: comm.ProcNull} {
		out, err := peerIn(in)
		require.NoError(t, err)
		require.Equal(t, want, out)
	}
	for in, says := range map[int]string{ANY_SOURCE: "rank -1, which is MPI_ANY_SOURCE",
		comm.ProcNull: "rank -2 is no rank"} {
		_, err := peerIn(in)
		require.ErrorContains(t, err, says)
		require.Equal(t, ERR_RANK, classOf(err))
	}
	out, err := sourceIn(ANY_SOURCE)
	require.NoError(t, err)
	require.Equal(t, comm.AnySource, out)
}
