package recorder

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFromC(t *testing.T) {
	require.Zero(t, FromC(5))
	require.EqualValues(t, 5, FromC(7))
	require.EqualValues(t, 7, FromC(0))
}
