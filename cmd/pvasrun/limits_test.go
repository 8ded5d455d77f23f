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
	for limit, btl := range map[string]string{"-v 10000000": "pvas", "-d 1000000": "pvas", "-n 70": "sm"} {
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

// A limit that lets no process of a job live is refused in both task models, with one
// line.
func TestLimitsThatForbidAll(t *testing.T) {
	for _, limit := range []string{"-v 1400000", "-d 90000"} {
		for _, btl := range []string{"auto", "pvas", "sm"} {
			got := command(t, underLimit(limit), "--btl", btl, "-n", "2", "true")
			require.Equal(t, 1, got.code, "%s: %s", limit, got.stderr)
			require.Regexp(t, `^pvasrun: launcher: RLIMIT_\w+ \(ulimit -[vd]\) is \d+, the job needs \d+: raise it with ulimit -[vd] unlimited\n$`, got.stderr)
		}
	}
}

// Where the data of all ranks is too much for one address space, auto takes several.
func TestDataLimitFallsBack(t *testing.T) {
	onlyInOneSpace(t)
	got := command(t, underLimit("-d 200000"), "-n", "4", "true")
	require.Equal(t, 0, got.code, got.stderr)
	require.Contains(t, got.stderr, "every rank gets an address space of its own (--btl sm): RLIMIT_DATA")
}
