package capi

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFixedSizesFollowTheHandle checks the sizes that the ABI codes in a handle.
func TestFixedSizesFollowTheHandle(t *testing.T) {
	n := 0
	for _, b := range basicTypes {
		if h := int(b.handle); h >= 0x240 && h < 0x280 || h >= 0x2c0 {
			require.Equal(t, 1<<(h>>3&7), b.size, b.name)
			n++
		}
	}
	require.Equal(t, 30, n)
}

func TestEveryDatatypeOfTheABIIsThere(t *testing.T) {
	present := 0
	for i, o := range predefinedTypes {
		if o == nil {
			continue
		}
		present++
		found, err := process.messageType(Type(firstPredefined + i))
		require.NoError(t, err)
		require.Same(t, o, found)
	}
	require.Equal(t, 70, present) // those of mpi.h but MPI_DATATYPE_NULL and other names
	_, err := process.messageType(DATATYPE_NULL)
	require.Equal(t, ERR_TYPE, classOf(err))
}
