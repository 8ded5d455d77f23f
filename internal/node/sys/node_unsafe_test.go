package sys

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// A node that this process may not have memory of, as a cpuset or the machine forbids, is refused and changes nothing.
func TestMemoryOfAForbiddenNode(t *testing.T) {
	const none = 1000
	size := uintptr(os.Getpagesize())
	at, err := Mmap(0, size, ProtRead|ProtWrite, MapPrivate|MapAnonymous, -1, 0)
	require.NoError(t, err)
	defer func() { require.NoError(t, Munmap(at, size)) }()
	require.Error(t, MemoryOn(at, size, none))
	ran := false
	require.NoError(t, TouchingOn(none, func() error {
		ran = true
		Bytes(at, 1)[0] = 1
		return nil
	}))
	require.True(t, ran)
	if nodes, err := PageNodes(0, []uintptr{at}); err == nil { // else there is no NUMA, or a filter forbids to ask
		require.GreaterOrEqual(t, nodes[0], 0, "the page is there")
	}
}
