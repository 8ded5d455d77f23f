package job

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOtherLauncher(t *testing.T) {
	of := func(variables map[string]string) string {
		name, n, ok := OtherLauncher(func(name string) string { return variables[name] })
		require.Equal(t, ok, name != "")
		require.Equal(t, ok, n > 1)
		return name
	}
	for _, v := range otherLaunchers {
		require.Equal(t, v.size, of(map[string]string{v.size: "4", v.rank: "0"}))
	}
	for why, variables := range map[string]map[string]string{
		"no launcher":        {},
		"another one tells":  {"PMI_SIZE": "2", "PMI_RANK": "1"},
		"alone":              {"PMI_SIZE": "1", "PMI_RANK": "0"},
		"a script of sbatch": {"SLURM_PROCID": "0", "SLURM_NTASKS": "4"},
		"not a number":       {"PMI_SIZE": "x", "PMI_RANK": "0"},
		"of our ranks":       {"PMI_SIZE": "2", "PMI_RANK": "0", EnvSize: "3"},
	} {
		require.Empty(t, of(variables), why)
	}
}
