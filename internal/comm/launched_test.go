package comm

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProcessesOfAnotherLauncherAreTold(t *testing.T) {
	said := func(variables map[string]string) string {
		return launchedOtherwise(func(name string) string { return variables[name] })
	}
	require.Contains(t, said(map[string]string{"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "0"}),
		"(OMPI_COMM_WORLD_SIZE=4)")
	require.Contains(t, said(map[string]string{"PMI_SIZE": "2", "PMI_RANK": "0"}), "each of its 2 processes")
	require.Empty(t, said(nil))
	require.Empty(t, said(map[string]string{"PMI_SIZE": "2", "PMI_RANK": "1"}), "one tells for all")
	require.Empty(t, said(map[string]string{"PMI_SIZE": "1", "PMI_RANK": "0"}), "it is alone, and shall be")
	require.Empty(t, said(map[string]string{"PMI_SIZE": "2", "PMI_RANK": "0", "PVAS_SIZE": "2"}), "a child of a rank")
	require.Empty(t, said(map[string]string{"PMI_SIZE": "x", "PMI_RANK": "0"}))
}
