package capi

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// An error stands behind its call: what that says already is left out.
func TestTextOf(t *testing.T) {
	for _, c := range []struct{ call, err, text string }{
		{"MPI_Comm_connect on MPI_COMM_WORLD", "mpi: connect: the port is not open: it was closed",
			"the port is not open: it was closed"},
		{"MPI_Close_port", "mpi: close port: the port is not open", "the port is not open"},
		{"MPI_Send on MPI_COMM_WORLD", "mpi: send to rank 1, tag 2: it has gone", "send to rank 1, tag 2: it has gone"},
		{"MPI_Comm_dup on a connect", "mpi: connect: no", "connect: no"},
		{"MPI_Init", "no memory", "no memory"},
		{"MPI_Wait", "two\nlines", "two; lines"},
	} {
		require.Equal(t, c.text, textOf(c.call, errors.New(c.err)), c.call)
	}
}
