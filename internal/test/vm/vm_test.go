package vm

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// vm runs the command with a cache of its own, and returns what it says and its exit code.
func vm(t *testing.T, cache string, args ...string) (said string, code int) {
	t.Helper()
	for _, tool := range []string{"bash", "dpkg"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	cmd := exec.Command("./vm", args...)
	cmd.Env = append(os.Environ(), "VM_CACHE="+cache)
	out, _ := cmd.CombinedOutput()
	return string(out), cmd.ProcessState.ExitCode()
}

// What cannot be is refused before anything starts.
func TestRefusals(t *testing.T) {
	cache := t.TempDir()
	for _, c := range []struct{ args, want string }{
		{"", "Usage:"},
		{"exec", "no command"},
		{"exec --cpus none true", "--cpus wants a number, not 'none'"},
		{"exec --dir /nowhere true", "no folder: /nowhere"},
		{"exec --odd 1 true", "exec knows no '--odd'"},
		{"exec --cpus", "--cpus wants a value"},
		{"exec --arch arm64 --suite none true", "vm fetch --arch arm64 --suite none"},
		{"fetch --odd 1", "fetch knows no '--odd'"},
	} {
		said, code := vm(t, cache, strings.Fields(c.args)...)
		require.Equal(t, 125, code, c.args)
		require.Contains(t, said, c.want, c.args)
	}
	said, code := vm(t, cache, "--help")
	require.Zero(t, code)
	require.Contains(t, said, "--distances ROWS")
}

// The command line of qemu says what was asked for. No machine is booted.
func TestCommandLine(t *testing.T) {
	for _, tool := range []string{"qemu-system-aarch64", "cpio"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	cache := t.TempDir()
	kernel := filepath.Join(cache, "arm64-none", "vmlinuz")
	require.NoError(t, os.MkdirAll(filepath.Join(filepath.Dir(kernel), "root"), 0o700))
	require.NoError(t, os.WriteFile(kernel, nil, 0o600))
	said, code := vm(t, cache, strings.Fields("exec --dry-run --arch arm64 --suite none --cpus 8 --numa 2 --memory 1G "+
		"--distances 10,33 --append some=words true")...)
	require.Zero(t, code, said)
	for _, want := range []string{"'qemu-system-aarch64'", "'8,sockets=2,cores=4,threads=1'", "size=512M",
		"'node,nodeid=1,cpus=4-7,memdev=m1'", "'dist,src=0,dst=1,val=33'", "'dist,src=1,dst=0,val=20'", "some=words"} {
		require.Contains(t, said, want)
	}
}
