package main

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// A rank that has no memory left in its control group: the group is named, with its limit.
func TestMemoryOfControlGroup(t *testing.T) {
	group := controlGroup(t, groupLimit{"memory", "memory.limit_in_bytes", "134217728"},
		groupLimit{"", "memory.max", "134217728"})
	if group == "" {
		t.Skip("no control group can be made")
	}
	for _, model := range turn(t, 0) {
		got := command(t, func(cmd *exec.Cmd) {
			cmd.Path = "/bin/sh"
			cmd.Args = append([]string{"sh", "-c", `echo $$ > "$0"/cgroup.procs && exec "$@"`, group}, cmd.Args...)
		}, "--btl", model, "-n", "1", "tail", "/dev/zero")
		if got.code == -1 {
			t.Skip("the kernel has chosen pvasrun, which lies in the group, too")
		}
		require.Equal(t, 137, got.code, got.stderr)
		require.Contains(t, got.stderr, "was killed by signal 9 (killed, SIGKILL)")
		require.Contains(t, got.stderr, "pvasrun: the kernel kills for want of memory: the control group "+group+
			" has a limit of 128 MiB: raise it, or start fewer ranks\n")
	}
}
