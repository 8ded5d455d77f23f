package rig

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A pvasrun that does not run for longer than --node-timeout is not given up, nor are its ranks killed, on either side
// of a link: its kernel answers. One that is cut off afterwards is.
func TestStarvedAreNotGivenUp(t *testing.T) {
	const timeout = 2 * time.Second
	eachStart(t, 3, func(t *testing.T, r *Rig, name string) {
		argv := append(starts[name](r, 2), "--node-timeout", fmt.Sprint(timeout), work, "busy")
		j := r.start(argv, nil)
		j.awaitRanks(t, 6)
		pid := r.find(2, `^pvasrun-host`)
		require.NotEmpty(t, pid)
		starved := map[int]string{2: `pvasrun node( join)?$`, 0: `^\S*pvasrun (--hosts|--node)`}
		for node, pattern := range starved {
			found := r.find(node, pattern)
			require.NotEmpty(t, found, "%v", r.Processes(node))
			require.NoError(t, syscall.Kill(slices.Max(found), syscall.SIGSTOP))
			time.Sleep(2 * timeout) // what is tested: a sixth of what is too long
			require.NoError(t, syscall.Kill(slices.Max(found), syscall.SIGCONT))
			_ = j.cmd.Process.Signal(syscall.SIGCONT) // nsenter stops with its child
			time.Sleep(timeout)                       // for those that have given it up
			require.Empty(t, j.stderr.String())
			require.Equal(t, pid, r.find(2, `^pvasrun-host`))
		}
		begin := time.Now()
		r.Cut(2)
		code := j.wait(t, 20*time.Second)
		t.Logf("%s: ended %v after the cut", name, time.Since(begin))
		r.Mend(2)
		require.Equal(t, 1, code)
		require.Contains(t, j.stderr.String(), "node n2 is lost: nothing was heard from it in time (2s)")
		r.requireNothing(t)
	})
}

// An sshd that does not run for a while is waited for, as long as its kernel answers.
func TestStarvedLogin(t *testing.T) {
	t.Parallel()
	r := withSSH(t, 2)
	found := r.find(1, `^\S*sshd`)
	require.NotEmpty(t, found)
	require.NoError(t, syscall.Kill(found[0], syscall.SIGSTOP))
	j := r.start(append(bySSH(r, 1), work, "check"), nil)
	time.Sleep(10 * time.Second) // what is tested
	require.NoError(t, syscall.Kill(found[0], syscall.SIGCONT))
	require.Zero(t, j.wait(t, time.Minute), "%s", &j.stderr)
	r.requireNothing(t)
}
