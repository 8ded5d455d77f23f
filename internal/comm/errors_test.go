package comm

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/mpi/fault"
)

func TestWrapKeepsCauses(t *testing.T) {
	require.NoError(t, Wrap("x", nil))
	err := Wrap("barrier", fmt.Errorf("job: barrier: %w", &fault.LostError{Rank: 3}))
	require.EqualError(t, err, "mpi: barrier: rank 3 has gone")
	lost, ok := errors.AsType[*fault.LostError](err)
	require.True(t, ok)
	require.Equal(t, 3, lost.Rank)
	require.ErrorIs(t, Wrap("x", ErrFinalized), ErrFinalized)
}
