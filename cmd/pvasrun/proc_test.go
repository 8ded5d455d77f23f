package main

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// In a PID namespace with the /proc of another one, and without /proc, pvasrun says what is missing.
func TestStrangeProc(t *testing.T) {
	if out, err := exec.Command("unshare", "-p", "-m", "--fork", "true").CombinedOutput(); err != nil {
		t.Skipf("no namespaces: %s", out)
	}
	program := programs.Build(t, "../../examples/hello")
	in := func(script string, args ...string) finished {
		return command(t, func(cmd *exec.Cmd) {
			cmd.Path, cmd.Err = "/usr/bin/unshare", nil
			cmd.Args = append([]string{"unshare", "-p", "-m", "--fork", "sh", "-c", script + `"$@"`, "sh", pvasrun},
				args...)
		})
	}
	for _, model := range models(t) {
		got := in("exec ", "-n", "2", "--btl", model, program)
		require.Equal(t, 1, got.code)
		require.Regexp(t, `^pvasrun: launcher: /proc is that of another PID namespace, where process 1 is "\d+": `+
			`mount one for this namespace: mount -t proc proc /proc\n$`, got.stderr)
	}
	got := in("mount -t proc proc /proc; exec ", "-n", "2", program)
	require.Equal(t, 0, got.code, got.stderr)
	require.Empty(t, got.stderr)
	got = in("umount -l /proc; exec ", "-n", "2", program)
	require.Equal(t, 1, got.code)
	require.Equal(t, "pvasrun: launcher: /proc is not there: mount it: mount -t proc proc /proc\n", got.stderr)
}
