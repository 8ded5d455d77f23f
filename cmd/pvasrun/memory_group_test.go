package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A rank that has no memory left in its control group: the group is named, with its limit.
func TestMemoryOfControlGroup(t *testing.T) {
	group := ""
	for _, place := range [][2]string{
		{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"}, {"/sys/fs/cgroup", "memory.max"},
	} {
		dir := filepath.Join(place[0], "gopvas-test-"+strconv.Itoa(os.Getpid()))
		if group != "" || os.Mkdir(dir, 0o755) != nil {
			continue
		}
		t.Cleanup(func() { // when the last process of the group has gone
			require.Eventually(t, func() bool { return os.Remove(dir) == nil }, 20*time.Second, time.Millisecond)
		})
		limit, err := os.OpenFile(filepath.Join(dir, place[1]), os.O_WRONLY, 0) // where there is none this is no group
		if err != nil {
			continue
		}
		if _, err = limit.WriteString("134217728"); err == nil {
			group = dir
		}
		require.NoError(t, limit.Close())
	}
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
