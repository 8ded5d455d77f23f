package comm

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
)

// TestGeneralized: another goroutine ends the operation that this one waits for.
func TestGeneralized(t *testing.T) {
	overMem(t, 1, 1, mem.Options{}, func(c *Comm) error {
		g, r, err := NewGeneralized(c)
		require.NoError(t, err)
		_, done, err := Peek(&r)
		require.NoError(t, err)
		require.False(t, done)
		waiting := make(chan error)
		go func() {
			_, err := r.Wait()
			waiting <- err
		}()
		g.Complete()
		return <-waiting
	})
}
