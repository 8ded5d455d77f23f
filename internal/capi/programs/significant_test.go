package programs

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Arguments that are not significant may be anything. A wrong one that is significant is refused, and no other
// rank notices that. testdata/significant.h has the table.
func TestSignificantArguments(t *testing.T) {
	program := build(t, "significant.c")
	eachWay(t, func(t *testing.T, w way) {
		require.Equal(t, "21 operations, 10512 calls\n", w.ends(t, 4, program))
	})
}

// In a checked job the others hear of a call that one rank is refused.
func TestRefusedCallsAreTold(t *testing.T) {
	program := build(t, "significant.c")
	t.Setenv("PVASRUN_CHECK", "1")
	eachWay(t, func(t *testing.T, w way) {
		require.Equal(t, "21 operations, 20784 calls\n", w.ends(t, 4, program, "check"))
	})
}
