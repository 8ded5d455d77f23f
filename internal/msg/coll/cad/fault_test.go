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

// A fault that another job is told of has the same kind, and ranks by names.
func TestFaultRenamed(t *testing.T) {
	f := AboutTwo(Mismatch, 3, 254).Fault
	named := f.Renamed(func(rank int) int { return 0x1200 + rank })
	require.Equal(t, Mismatch, named.Kind())
	require.Equal(t, []int{0x1203, 0x12fe}, []int{named.Rank(), named.Other()})
	require.Equal(t, f, named.Renamed(func(name int) int { return name - 0x1200 }))
}
