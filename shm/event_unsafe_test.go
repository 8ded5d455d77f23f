package shm

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// TestEventLayout pins what other packages build their layouts on.
func TestEventLayout(t *testing.T) {
	var e Event
	require.EqualValues(t, EventSize, unsafe.Sizeof(e))
	require.EqualValues(t, 4, unsafe.Alignof(e))
	require.EqualValues(t, 0, unsafe.Offsetof(e.seq))
	require.EqualValues(t, 4, unsafe.Offsetof(e.sleepers))
}
