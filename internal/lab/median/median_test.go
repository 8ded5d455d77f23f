package median

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMedian(t *testing.T) {
	list := []float64{3, 1, 2}
	require.Equal(t, 2.0, Of(list))
	require.Equal(t, []float64{3, 1, 2}, list, "the list stays as it is")
	require.Equal(t, 2.5, Of([]float64{4, 3, 2, 1}))
	require.Equal(t, 7.0, Of([]float64{7}))
}

func TestBy(t *testing.T) {
	length := func(s string) float64 { return float64(len(s)) }
	require.Equal(t, "bb", By([]string{"ccc", "a", "bb"}, length))
	require.Equal(t, "bb", By([]string{"dddd", "ccc", "a", "bb"}, length))
}
