package comm

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/mpi/fault"
)

func TestWrapKeepsCauses(t *testing.T) {
	require.NoError(t, Wrap("x", nil))
	err := Wrap("barrier", fmt.Errorf("job: barrier: %w", &fault.LostError{Rank: 3}))
	_, _, line, _ := runtime.Caller(0)
	require.EqualError(t, err, fmt.Sprintf("mpi: barrier: rank 3 has gone (errors_test.go:%d)", line-1))
	twice := Wrap("all", Wrap("x", ErrFreed))
	require.Equal(t, 1, strings.Count(twice.Error(), ".go:"), twice)
	lost, ok := errors.AsType[*fault.LostError](err)
	require.True(t, ok)
	require.Equal(t, 3, lost.Rank)
	require.ErrorIs(t, Wrap("x", ErrFinalized), ErrFinalized)
}

// What names no call stays as it is: an error never becomes a success.
func TestBare(t *testing.T) {
	cause := errors.New("cause")
	require.Equal(t, cause, Bare(Wrap("call", cause)))
	require.Equal(t, cause, Bare(cause))
	both := errors.Join(cause, cause)
	require.Equal(t, both, Bare(both))
	require.NoError(t, Bare(nil))
}
