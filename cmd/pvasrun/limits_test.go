package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/machine"
)

// underLimit has the command run with a limit of the shell's ulimit.
func underLimit(limit string) func(*exec.Cmd) {
	return func(cmd *exec.Cmd) {
		cmd.Args = append([]string{"sh", "-c", "ulimit " + limit + ` && exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
		cmd.Path = "/bin/sh"
	}
}

// The report of limits and the start of a job come to the same number of ranks.
func TestInfoSaysWhatTheStartDoes(t *testing.T) {
	onlyInOneSpace(t)
	for limit, btl := range map[string]string{"-v 10000000": "pvas", "-n 70": "sm"} {
		got := command(t, underLimit(limit), "info", "--json")
		require.Equal(t, 0, got.code, got.stderr)
		var info machine.Info
		require.NoError(t, json.Unmarshal([]byte(got.stdout), &info))
		for _, c := range info.Capacity {
			if c.BTL != btl {
				continue
			}
			require.NotNil(t, c.Ranks)
			n := int(*c.Ranks)
			require.Positive(t, n)
			got = command(t, underLimit(limit), "--btl", btl, "--dry-run", "-n", fmt.Sprint(n), "true")
			require.Equal(t, 0, got.code, "%s: %s", limit, got.stderr)
			got = command(t, underLimit(limit), "--btl", btl, "--dry-run", "-n", fmt.Sprint(n+1), "true")
			require.Equal(t, 1, got.code, "%s: %s", limit, got.stdout)
			require.Contains(t, got.stderr, c.Limit)
			require.Contains(t, got.stderr, "the job needs")
		}
	}
}
