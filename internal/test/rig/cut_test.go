package rig

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A node that is cut off before its agent speaks is found out as soon as one that runs ranks,
// and named: before there is a connection to it (Slurm), and after (ssh).
func TestCutAtTheStart(t *testing.T) {
	eachStart(t, 3, func(t *testing.T, r *Rig, name string) {
		if name == "slurm" {
			r.Cut(2)
			endCut(t, r, r.start(append(bySlurm(r, 2), work, "check"), nil))
			return
		}
		script := filepath.Join(t.TempDir(), "rsh") // gets to n2, and no further
		text := "#!/bin/sh\n[ $1 != n2 ] || set -- n2 'sleep 1000'\nexec ssh \"$1\" \"$2\"\n"
		require.NoError(t, os.WriteFile(script, []byte(text), 0o755))
		j := r.start(append(bySSH(r, 2), "--rsh", script, work, "check"), nil)
		require.Eventually(t, func() bool { return len(r.find(2, "^sleep 1000$")) > 0 }, time.Minute,
			time.Millisecond, "%s", &j.stderr)
		r.Cut(2)
		endCut(t, r, j)
		for _, pid := range r.find(2, "^sleep 1000$") {
			require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		}
	})
}

// A node whose agent dies before it speaks is given up as soon as a silent one: srun does not tell.
func TestAgentDiesAtTheStart(t *testing.T) {
	t.Parallel()
	r := withSlurm(t, 3)
	r.Run(2, "mount", "--bind", "/bin/false", pvasrun)
	j := r.start(append(bySlurm(r, 2), work, "check"), nil)
	begin := time.Now()
	require.Equal(t, 1, j.wait(t, time.Minute))
	t.Logf("ended after %v: %s", time.Since(begin), &j.stderr)
	require.Contains(t, j.stderr.String(), "node n2: start pvasrun there: it has not answered in time (")
	r.Run(2, "umount", pvasrun)
	r.requireNothing(t)
}

func endCut(t *testing.T, r *Rig, j *job) {
	begin := time.Now()
	code := j.wait(t, 30*time.Second)
	t.Logf("ended after %v: %s", time.Since(begin), &j.stderr)
	r.Mend(2)
	require.Equal(t, 1, code)
	require.Regexp(t, `node n2: start pvasrun there: 10\.77\.0\.3:\d+ does not answer in time`, j.stderr.String())
}

// Where datagrams do not pass between two nodes info says so before a job, and a job ends at its start. A further
// device on which they do not pass is told of, too; jobs do without it, be it the first one.
func TestDatagramsAreBlocked(t *testing.T) {
	t.Parallel()
	r := withSSH(t, 3)
	info := func(code int) string {
		j := r.start([]string{pvasrun, "info", "--hosts", "n0,n1,n2"}, nil)
		require.Equal(t, code, j.wait(t, time.Minute), "%s%s", &j.stdout, &j.stderr)
		return j.stdout.String()
	}
	require.NotContains(t, info(0), "datagram")
	r.Run(1, "ip", "rule", "add", "to", Address(2).String(), "ipproto", "udp", "blackhole")
	says := info(1)
	require.Regexp(t, `(?m)^n2 .* no datagram comes from n1: a firewall must let UDP pass, or --devices name others$`,
		says)
	require.NotRegexp(t, `(?m)^n[01] .*datagram`, says)

	j := r.start(append(bySSH(r, 1), work, "check"), nil)
	require.Equal(t, 1, j.wait(t, 40*time.Second), "less than --peer-timeout")
	require.Contains(t, j.stderr.String(),
		"node n2: no datagram comes from n1, 10.77.0.2 to 10.77.0.3: a firewall must let UDP")

	r.AddDevice()
	r.Run(1, "ip", "rule", "add", "to", "10.78.0.0/16", "ipproto", "udp", "blackhole")
	r.Run(1, "ip", "rule", "del", "to", Address(2).String(), "ipproto", "udp")
	says = info(0)
	require.Regexp(t, `(?m)^n[02] .* no datagram comes from n1 by eth1$`, says)
	require.NotContains(t, says, "firewall")
	j = r.start(append(bySSH(r, 1), work, "check"), nil)
	require.Zero(t, j.wait(t, time.Minute), "%s", &j.stderr)
	require.Contains(t, j.stderr.String(), "no datagram comes from n1, 10.78.0.")

	r.Run(1, "ip", "rule", "add", "to", Address(2).String(), "ipproto", "udp", "blackhole")
	r.Run(1, "ip", "rule", "del", "to", "10.78.0.0/16", "ipproto", "udp")
	require.Regexp(t, `(?m)^n2 .* no datagram comes from n1 by eth0$`, info(0))
	j = r.start(append(bySSH(r, 1), work, "check"), nil)
	require.Zero(t, j.wait(t, time.Minute), "the first device is one of several: %s", &j.stderr)
	require.Contains(t, j.stderr.String(),
		"node n2: no datagram comes from n1, 10.77.0.2 to 10.77.0.3: their ranks use other devices")
	r.requireNothing(t)
}
