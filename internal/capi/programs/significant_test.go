package programs

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Arguments that are not significant may be anything. A call with a wrong one that is significant counts at its
// rank, and the others have a right result or are told of it. testdata/significant.h has the table.
func TestSignificantArguments(t *testing.T) {
	program := build(t, "significant.c")
	eachWay(t, func(t *testing.T, w way) {
		require.Equal(t, "21 operations, 23256 calls\n", w.ends(t, 4, program))
	})
}

// In a checked job the others hear of a call that one rank is refused.
func TestRefusedCallsAreTold(t *testing.T) {
	program := build(t, "significant.c")
	t.Setenv("PVASRUN_CHECK", "1")
	eachWay(t, func(t *testing.T, w way) {
		require.Equal(t, "21 operations, 33528 calls\n", w.ends(t, 4, program, "check"))
	})
}
