package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNearest(t *testing.T) {
	names := []string{"bench", "info", "model", "trace", "install-mpi", "tune", "--nodes", "-Z"}
	for word, want := range map[string]string{
		"bnech": "bench", "inof": "info", "modle": "model", "tracee": "trace", "install_mpi": "install-mpi",
		"ifno": "info",
		"prog": "", "": "", "x": "", "ls": "", "sleep": "", "benches": "bench", "true": "",
		"--model": "model", "--mode": "model", "--node": "--nodes", "--moles": "", "--Z": "-Z",
	} {
		require.Equal(t, want, Nearest(word, names), word)
	}
}
