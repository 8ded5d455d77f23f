package pml

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/mpi/fault"
)

// TestLongLengths: a message may be longer than any buffer of this process.
func TestLongLengths(t *testing.T) {
	for _, c := range []struct {
		length uint64
		buffer int
		got    uint64
	}{
		{5 << 30, 16, 16}, {1<<32 + 3, 3, 3}, {1 << 63, 1, 1}, {1<<64 - 1, 0, 0}, {16, 16, 16}, {3, 16, 3},
	} {
		op := &operation{buf: btl.Buffer{Bytes: make([]byte, c.buffer)}}
		err := op.size(c.length)
		require.Equal(t, c.got, op.status.Bytes)
		if c.length <= uint64(c.buffer) {
			require.NoError(t, err)
			continue
		}
		require.Equal(t, &fault.TruncateError{Length: c.length, Buffer: uint64(c.buffer)}, err)
	}
}
