package comm

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWrapKeepsCauses(t *testing.T) {
	require.NoError(t, Wrap("x", nil))
	err := Wrap("barrier", fmt.Errorf("job: barrier: %w", &LostError{Rank: 3}))
	require.EqualError(t, err, "mpi: barrier: rank 3 has gone")
	lost, ok := errors.AsType[*LostError](err)
	require.True(t, ok)
	require.Equal(t, 3, lost.Rank)
	require.ErrorIs(t, Wrap("x", ErrFinalized), ErrFinalized)
}
