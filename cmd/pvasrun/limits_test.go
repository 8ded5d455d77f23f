package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/machine"
)

// underLimit has the command run with a limit of the shell's ulimit.
func underLimit(limit string) func(*exec.Cmd) {
	return func(cmd *exec.Cmd) {
		cmd.Args = append([]string{"sh", "-c", "{ ulimit " + limit + `; } && exec "$0" "$@"`, cmd.Path},
			cmd.Args[1:]...)
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

// A stack that cannot be had is refused before anything starts, in one line.
func TestStackSizeIsRefused(t *testing.T) {
	for _, btl := range models(t) {
		got := command(t, underLimit("-S -s 8192 && ulimit -H -s 9000"), "--btl", btl, "--stack-size", "64M", "true")
		require.Equal(t, 1, got.code)
		require.Equal(t,
			"pvasrun: launcher: job: a stack of 65536 KiB: the hard limit is 9000 KiB (ulimit -Hs): raise that, or "+
				"take a smaller stack\n", got.stderr)
		for _, size := range []string{"0", "big", "-1", "100K"} {
			got = command(t, nil, "--btl", btl, "--stack-size", size, "true")
			require.Equal(t, 2, got.code, size)
			require.Regexp(t, `stack`, got.stderr)
		}
	}
	onlyInOneSpace(t)
	for size, cause := range map[string]string{"40000G": "hold no stack of 40960000 MiB: take a smaller one " +
		"(--stack-size, ulimit -s), or --btl sm\n", "63M": "give --partition-size"} {
		got := command(t, nil, "--btl", "pvas", "--partition-size",
			map[string]string{"63M": "64M", "40000G": "0"}[size], "--stack-size", size, "true")
		require.Equal(t, 1, got.code, size)
		require.Contains(t, got.stderr, cause)
		require.Len(t, lines(got.stderr), 1)
	}
}

// A task model refuses a limit of stacks that no rank can keep, and --stack-size overrides it.
func TestLeastStack(t *testing.T) {
	for _, btl := range turn(t, 0) {
		for _, limit := range []string{"64", "255"} {
			got := command(t, underLimit("-S -s "+limit), "--btl", btl, "-n", "2", "true")
			require.Equal(t, 1, got.code, got.stderr)
			require.Regexp(t,
				`^pvasrun: launcher: RLIMIT_STACK \(ulimit -s\) is \d+, the job needs 262144: raise it with ulimit `+
					`-s 256 or --stack-size 256K\n$`, got.stderr)
			got = command(t, underLimit("-S -s "+limit), "--btl", btl, "-n", "2", "--stack-size", "256K",
				"sh", "-c", "ulimit -s")
			require.Equal(t, 0, got.code, got.stderr)
			require.Equal(t, "256\n256\n", got.stdout)
		}
		got := command(t, underLimit("-s 256"), "--btl", btl, "-n", "2", "sh", "-c", "ulimit -s")
		require.Equal(t, "256\n256\n", got.stdout, got.stderr)
	}
}

// A limit that lets no process of a job live is refused in both task models, with one
// line.
func TestLimitsThatForbidAll(t *testing.T) {
	for _, limit := range []string{"-v 1400000", "-d 90000"} {
		for _, btl := range []string{"auto", "pvas", "sm"} {
			got := command(t, underLimit(limit), "--btl", btl, "-n", "2", "true")
			require.Equal(t, 1, got.code, "%s: %s", limit, got.stderr)
			require.Regexp(t,
				`^pvasrun: launcher: RLIMIT_\w+ \(ulimit -[vd]\) is \d+, the job needs \d+: raise it with `+
					`ulimit -[vd] unlimited\n$`, got.stderr)
		}
	}
}

// Where the data or the partitions of all ranks are too much for one address space, auto
// takes several. Then pvas is refused with one line.
func TestLimitsOfOneSpaceFallBack(t *testing.T) {
	onlyInOneSpace(t)
	for limit, args := range map[string][]string{
		"RLIMIT_DATA": {"-d 200000", "4"}, "RLIMIT_AS": {"-v 10000000", "40"},
	} {
		got := command(t, underLimit(args[0]), "-n", args[1], "true")
		require.Equal(t, 0, got.code, got.stderr)
		require.Contains(t, got.stderr, "every rank gets an address space of its own (--btl sm): "+limit)
		got = command(t, underLimit(args[0]), "--btl", "pvas", "-n", args[1], "true")
		require.Equal(t, 1, got.code, got.stderr)
		require.Regexp(t, `^pvasrun: launcher: space host: .*`+limit+` .*, the job needs \d+: .*\n$`, got.stderr)
	}
}

// The limit on a user's threads is met in both task models, and so auto has nothing to take
// instead.
func TestProcessLimitIsRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("for a user of whom nothing else runs the tests must be root's")
	}
	limited := func(cmd *exec.Cmd) {
		underLimit("-u 40 2>/dev/null || ulimit -p 40")(cmd) // as bash and dash call it
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65533, Gid: 65533}}
		cmd.Dir = "/"
	}
	for _, btl := range []string{"auto", "pvas", "sm"} {
		got := command(t, limited, "--btl", btl, "-n", "20", "true")
		require.Equal(t, 1, got.code, got.stderr)
		require.Regexp(t, `^pvasrun: launcher: RLIMIT_NPROC \(ulimit -u\) is 40, the job needs \d+: raise it .*\n$`,
			got.stderr)
	}
}

// A groupLimit is a file of a controller's control groups, and what is written to it. The controller is a folder of
// version 1, or "": version 2.
type groupLimit struct{ controller, file, value string }

// controlGroup makes a control group with the first of several limits that there is, and returns its folder. It
// returns "" where none can be made. The group is removed after the test, when its last process has gone.
func controlGroup(t *testing.T, limits ...groupLimit) string {
	for _, l := range limits {
		group := filepath.Join("/sys/fs/cgroup", l.controller, fmt.Sprintf("pvasrun-test-%d", os.Getpid()))
		if os.Mkdir(group, 0o755) != nil {
			continue
		}
		t.Cleanup(func() {
			require.Eventually(t, func() bool { return os.Remove(group) == nil }, 20*time.Second, time.Millisecond)
		})
		limit, err := os.OpenFile(filepath.Join(group, l.file), os.O_WRONLY, 0)
		if err != nil {
			continue // a folder of no controller, or of another
		}
		_, err = limit.WriteString(l.value)
		require.NoError(t, errors.Join(err, limit.Close()))
		return group
	}
	return ""
}

// In a control group that has room for a few processes a job of few ranks runs. One of many is
// refused before it starts, with the group's limit.
func TestLimitOfAControlGroup(t *testing.T) {
	onlyInOneSpace(t)
	group := controlGroup(t, groupLimit{"pids", "pids.max", "60"}, groupLimit{"", "pids.max", "60"})
	if group == "" {
		t.Skip("needs a pids controller of control groups, and to be root")
	}
	inGroup := func(cmd *exec.Cmd) {
		cmd.Args = append([]string{"sh", "-c", `echo $$ > "$0"/cgroup.procs && exec "$@"`, group, cmd.Path},
			cmd.Args[1:]...)
		cmd.Path = "/bin/sh"
	}
	for _, btl := range []string{"auto", "pvas", "sm"} {
		got := command(t, inGroup, "--btl", btl, "-n", "2", "true")
		require.Equal(t, 0, got.code, got.stderr)
		got = command(t, inGroup, "--btl", btl, "-n", "64", "true")
		require.Equal(t, 1, got.code, "%s: %s", btl, got.stderr)
		require.Regexp(t, `^pvasrun: launcher: pids\.max of the control group is 60, the job needs \d+: .*\n$`,
			got.stderr)
	}
}

// The limit on the size of files counts for the job's memory in both task models.
func TestFileSizeLimit(t *testing.T) {
	for _, btl := range models(t) {
		got := command(t, underLimit("-f 0"), "-n", "2", "--btl", btl, "true")
		require.Equal(t, 1, got.code, got.stderr)
		require.Regexp(t, `\(RLIMIT_FSIZE, ulimit -f\) is 0 bytes, .*: raise it\n$`, got.stderr, btl)
	}
}
