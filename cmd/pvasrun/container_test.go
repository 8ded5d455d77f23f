package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// contained runs a command as Docker and Kubernetes do by default: as process 1 of an ordinary user without
// capabilities and without a home, who sees 64 MiB of /dev/shm and only such system calls as their filter lets pass.
// Files are read-only, as an administrator may wish. Its arguments are the filter, a control group or "", and the
// command.
const contained = `
filter=$1 group=$2
shift 2
[ -z "$group" ] || echo 0 >"$group/cgroup.procs"
exec unshare --mount --ipc --uts --pid --fork --kill-child --propagation private sh -c '
	mount -t proc proc /proc && mount -t tmpfs -o size=64m,mode=1777 shm /dev/shm &&
		mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys && mount -o remount,bind,ro / || exit 99
	exec setpriv --reuid 65533 --regid 65533 --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs \
		env -i PATH="$PATH" "$@"' sh "$filter" container "$@"`

// A job runs in a container of the usual limits in both task models, with more shared memory than /dev/shm has, and
// with half a CPU where the tests may make control groups. What stops the container stops the job.
func TestContainer(t *testing.T) {
	out, err := exec.Command("unshare", "--mount", "--pid", "--fork", "setpriv", "true").CombinedOutput()
	if err != nil {
		t.Skipf("no namespaces: %s", out)
	}
	filter := filepath.Join(filepath.Dir(pvasrun), "filter")
	out, err = exec.Command("gcc", "-O1", "-o", filter, "../../launcher/testdata/filter/filter.c").CombinedOutput()
	if err != nil {
		require.Empty(t, os.Getenv("CI"), "CI must have gcc")
		t.Skipf("no filter: %s", out)
	}
	group := controlGroup(t, groupLimit{"cpu", "cpu.cfs_quota_us", "50000"}, groupLimit{"", "cpu.max", "50000 100000"})
	program := programs.Build(t, "./testdata/contained")
	for _, model := range models(t) {
		in := func(args ...string) finished {
			return command(t, func(cmd *exec.Cmd) {
				cmd.Path, cmd.Dir = "/bin/sh", "/"
				cmd.Args = slices.Concat([]string{"sh", "-c", contained, "sh", filter, group, pvasrun, "--btl", model},
					args)
			})
		}
		got := in("-n", "4", program)
		require.Equal(t, finished{stdout: "4 of 4 ranks are right\n"}, got, model)
		got = in("-n", "2", "sh", "-c", "kill -TERM 1; exec sleep 1000")
		require.Equal(t, 128+15, got.code, "%s: %s", model, got.stderr)
	}
}

// Ranks in PID namespaces of their own, such as those of containers, have numbers that mean another process to others,
// or these themselves. None reads its own memory in place of another's.
func TestRanksInPIDNamespaces(t *testing.T) {
	if out, err := exec.Command("unshare", "--pid", "--fork", "setarch", "-R", "true").CombinedOutput(); err != nil {
		t.Skipf("no namespaces: %s", out)
	}
	program := programs.Build(t, "./testdata/contained")
	apart := []string{"setarch", "-R", "unshare", "--pid", "--fork", program}
	got := command(t, nil, append([]string{"--btl", "sm", "-n", "2"}, apart...)...)
	require.Equal(t, finished{stdout: "2 of 2 ranks are right\n"}, got)
	args := slices.Concat([]string{"--btl", "sm", "-n", "1", program, ":"}, []string{"-n", "1"}, apart)
	got = command(t, nil, args...)
	require.Equal(t, finished{stdout: "2 of 2 ranks are right\n"}, got)
	got = command(t, nil, append([]string{"--btl", "sm", "--single-copy", "cma", "-n", "2"}, apart...)...)
	require.Equal(t, 1, got.code)
	require.Contains(t, got.stderr, "the ranks are in different PID namespaces; use --single-copy none")
}
