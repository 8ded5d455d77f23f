package comm

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInfo(t *testing.T) {
	f := new(Info)
	f.Set("a", "1")
	f.Set("b", "2")
	f.Set("a", "3")
	c := f.Clone()
	require.True(t, f.Delete("a"))
	require.False(t, f.Delete("a"))
	value, ok := c.Get("a")
	require.Equal(t, "3 true", fmt.Sprint(value, " ", ok))
	_, ok = f.Get("a")
	require.False(t, ok)
	require.Equal(t, "[2 1] [a b b]", fmt.Sprint([]int{c.Len(), f.Len()}, []string{c.Key(0), c.Key(1), f.Key(0)}))
	require.Zero(t, (*Info)(nil).Clone().Len())
}
