package rig

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// twoJobs starts a job that accepts at a port and one that connects, each on a node and with these flags, of a user
// with this home.
func twoJobs(t *testing.T, r *Rig, home string, on [2]int, flags [2][]string, more ...string) (accepts,
	connects *job) {
	port := filepath.Join(home, "port")
	start := func(i int, what string) *job {
		argv := append([]string{"env", "HOME=" + home, pvasrun, "--timeout", "100"}, flags[i]...)
		return r.startOn(on[i], append(append(argv, work, what, port), more...), nil)
	}
	accepts = start(0, "accept")
	require.Eventually(t, func() bool { _, err := os.Stat(port); return err == nil }, time.Minute, 10*time.Millisecond,
		"no port: %s", &accepts.stderr)
	return accepts, start(1, "connect")
}

// Two jobs meet at a port, of which one or both have ranks on several nodes.
func TestPortsOverNodes(t *testing.T) {
	t.Parallel()
	r := withSSH(t, 3)
	one, few, many := []string{"-n", "2"}, []string{"--hosts", "n0:1,n1:1"}, []string{"--hosts", "n0:1,n2:2"}
	for i, flags := range [][2][]string{{few, many}, {one, many}, {many, one}} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			accepts, connects := twoJobs(t, r, t.TempDir(), [2]int{}, flags)
			for _, j := range []*job{connects, accepts} {
				require.Zero(t, j.wait(t, time.Minute), "%s%s", &accepts.stderr, &connects.stderr)
				require.Empty(t, j.stderr.String())
			}
			r.requireNothing(t)
		})
	}

	// Their pvasruns are on different nodes.
	for i, flags := range [][2][]string{{one, one}, {one, few}, {{"--hosts", "n1:1,n2:1"}, many}} {
		t.Run(fmt.Sprint("far", i), func(t *testing.T) {
			accepts, connects := twoJobs(t, r, t.TempDir(), [2]int{1, 0}, flags)
			for _, j := range []*job{connects, accepts} {
				require.Zero(t, j.wait(t, time.Minute), "%s%s", &accepts.stderr, &connects.stderr)
				require.Empty(t, j.stderr.String())
			}
			r.requireNothing(t)
		})
	}

	// Who has no key cannot meet others, and is told.
	home := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(home, ".gopvas"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".gopvas", "key"), []byte("short"), 0o600))
	accepts, connects := twoJobs(t, r, home, [2]int{1, 0}, [2][]string{one, one})
	require.Equal(t, 1, connects.wait(t, time.Minute), &connects.stderr)
	require.Contains(t, connects.stderr.String(), "is no key")
	require.NoError(t, accepts.cmd.Process.Signal(os.Interrupt))
	accepts.wait(t, time.Minute)
	r.requireNothing(t)

	// The other job loses a node, and ends. This one is told.
	accepts, connects = twoJobs(t, r, t.TempDir(), [2]int{}, [2][]string{few, many}, "busy")
	require.Eventually(t, func() bool { return strings.Count(connects.stdout.String(), "has met") == 3 }, time.Minute,
		10*time.Millisecond, "%s%s", &accepts.stderr, &connects.stderr)
	r.Cut(2)
	require.Equal(t, 1, connects.wait(t, time.Minute), &connects.stderr)
	require.Equal(t, 1, accepts.wait(t, time.Minute), &accepts.stderr)
	require.Regexp(t, `rank \d of another job \(that of pvasrun \d+\)`, accepts.stderr.String())
	r.Mend(2)
	r.requireNothing(t)
}
