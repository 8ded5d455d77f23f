package runner

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestInTurn: who fails costs its own results only, and runs no more; who is interrupted leaves none to anybody.
func TestInTurn(t *testing.T) {
	names, broken := []string{"a", "b", "c"}, errors.New("broken")
	var ran []string
	step := func(name string, _ int) { ran = append(ran, name) }
	results, err := InTurn(t.Context(), names, 3, step, func(i int) (int, error) {
		if i == 1 && len(ran) > 3 {
			return 0, broken
		}
		return len(ran), nil
	})
	require.EqualError(t, err, "b: broken")
	require.Equal(t, []string{"a", "b", "c", "a", "b", "c", "a", "c"}, ran)
	require.Equal(t, [][]int{{1, 4, 7}, nil, {3, 6, 8}}, results)
	standing, of := Standing(names, results)
	require.Equal(t, []string{"a", "c"}, standing)
	require.Equal(t, [][]int{{1, 4, 7}, {3, 6, 8}}, of)

	ctx, end := context.WithCancel(t.Context())
	results, err = InTurn(ctx, names, 3, nil, func(i int) (int, error) {
		if i == 1 {
			end()
			return 0, ctx.Err()
		}
		return i, nil
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, make([][]int, 3), results)
}
