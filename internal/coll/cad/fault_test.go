package cad

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFailureThatIsBeingTold: a reader that comes while a failure is written gets it whole, and
// without its details if the writer has died.
func TestFailureThatIsBeingTold(t *testing.T) {
	want := Between(1, 10, 2, 20)
	var c Cell
	c.fault.Store(uint64(want.Fault))
	require.Equal(t, Failure{Fault: want.Fault}, c.Failure(), "nobody tells")

	go func() {
		for i, d := range want.Detail {
			c.detail[i].Store(d)
		}
		c.Told.Store(1)
	}()
	require.Equal(t, want, c.Failure())
}
