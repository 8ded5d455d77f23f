package launcher

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/launcher/internal/launchertest"
	"github.com/gopvas/gopvas/pvas"
)

// buildFilter compiles testdata/filter, and returns what runs a job under one of its
// seccomp filters.
func buildFilter(t *testing.T) (under func(what string, j Job) *launchertest.Pvasrun) {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		require.Empty(t, os.Getenv("CI"), "CI must have gcc")
		t.Skip("gcc is not installed")
	}
	filter := filepath.Join(t.TempDir(), "filter")
	out, err := exec.Command("gcc", "-O1", "-o", filter, "testdata/filter/filter.c").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return func(what string, j Job) *launchertest.Pvasrun {
		return startPvasrun(t, j, func(cmd *exec.Cmd) {
			cmd.Args = append([]string{filter, what, cmd.Path}, cmd.Args[1:]...)
			cmd.Path = filter
		})
	}
}

// What a container's filter of system calls refuses is found out before the first
// rank is started, or not needed.
func TestFilteredSystemCalls(t *testing.T) {
	if err := pvas.Supported(); err != nil {
		t.Skip(err)
	}
	under := buildFilter(t)
	for what, call := range map[string]string{"parent": "clone(CLONE_PARENT)", "shared": "clone(",
		"close": "close_range"} {
		call = regexp.QuoteMeta(call)
		p := under(what, ranks(btlAuto, 3, "true"))
		require.Zero(t, p.Code(), p.Stderr)
		require.Regexp(t, `^pvasrun: every rank gets an address space of its own \(--btl sm\): .*`+call+
			`.*\n$`, p.Stderr.String())
		p = under(what, ranks(btlPvas, 3, "true"))
		require.Equal(t, 1, p.Code(), p.Stderr)
		require.Regexp(t, `^pvasrun: .*`+call+`.*\n$`, p.Stderr.String())
	}
	for _, btl := range []string{btlPvas, btlSM} {
		p := under("limits", ranks(btl, 3, "true"))
		require.Zero(t, p.Code(), p.Stderr)
		require.Empty(t, p.Stderr.String())
	}
}

// A rank that is killed after its clone and before its program is a rank like any
// other: named, with the signal and its code.
func TestRankKilledBeforeItsProgram(t *testing.T) {
	if err := pvas.Supported(); err != nil {
		t.Skip(err)
	}
	p := buildFilter(t)("kill", ranks(btlPvas, 3, "true"))
	require.Equal(t, 128+int(syscall.SIGSYS), p.Code(), p.Stderr)
	require.Regexp(t,
		`^pvasrun: rank 0 \(pid \d+, \S+\) on \S+ was killed by signal 31 \(bad system call, SIGSYS\)(, core `+
			`dumped)?(; ending the other (rank|\d ranks))?\n$`, p.Stderr.String())
}
