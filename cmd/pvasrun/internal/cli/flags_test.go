package cli

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// A measurement goes on with the task models that there are, as a job does; with none it says why.
func TestModelsThatAreNotThere(t *testing.T) {
	refused := errors.New("clone: operation not permitted")
	list, err := BTLNames{"pvas", "sm"}.without(refused)
	require.NoError(t, err)
	require.Equal(t, BTLNames{"sm"}, list)
	_, err = BTLNames{"pvas"}.without(refused)
	require.ErrorIs(t, err, refused)
	require.ErrorContains(t, err, "add sm")
	list, err = BTLNames{"sm", "pvas"}.without(nil)
	require.NoError(t, err)
	require.Equal(t, BTLNames{"sm", "pvas"}, list)
}
