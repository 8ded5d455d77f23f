package pvas

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// impersonate runs the test binary as a helper process where its environment
// says so.
func impersonate() (ran bool, code int) {
	switch os.Getenv("PVAS_TEST_HELPER") {
	case "":
		return false, 0
	case "host":
		return true, hostHelper()
	case "create":
		_, err := Create(Config{Tasks: 4})
		fmt.Println(err)
		return true, 0
	}
	return true, 99
}

// hostHelper spawns a task that is its sibling and prints the task's pid.
func hostHelper() int {
	s, err := Create(Config{Tasks: 1})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	task, err := s.Spawn(TaskSpec{Path: os.Getenv("PVAS_TEST_PROGRAM"),
		Args: []string{"prog", "exit", "5"}, Sibling: true})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	if _, err := task.Wait(); err == nil {
		fmt.Println("waited for a sibling")
		return 1
	}
	fmt.Println(task.Pid())
	_, _ = io.ReadAll(os.Stdin) // the address space goes with its last process
	return 0
}

func helper(t *testing.T, name string, env ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), append(env, "PVAS_TEST_HELPER="+name)...)
	return cmd
}

// A sibling is a child of the host's parent: this test, which reaps it.
func TestSiblingBelongsToParent(t *testing.T) {
	newSpace(t, 1) // skips where unsupported
	cmd := helper(t, "host", "PVAS_TEST_PROGRAM="+goProgram())
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	buf := make([]byte, 32)
	n, err := out.Read(buf)
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(buf[:n])))
	require.NoError(t, err, "%s", buf[:n])
	var status syscall.WaitStatus
	got, err := syscall.Wait4(pid, &status, 0, nil)
	require.NoError(t, err)
	require.Equal(t, pid, got)
	require.Equal(t, 5, status.ExitStatus())
	require.NoError(t, in.Close())
	require.NoError(t, cmd.Wait())
}

// Limits that are too low are named, with their value, before anything starts.
func TestAddressSpaceLimitIsNamed(t *testing.T) {
	newSpace(t, 1)
	cmd := helper(t, "create")
	cmd.Args = []string{"sh", "-c", "ulimit -v 4000000; exec \"$0\"", cmd.Path}
	cmd.Path = "/bin/sh"
	out, err := cmd.CombinedOutput()
	require.NoError(t, err)
	require.Contains(t, string(out), "RLIMIT_AS (ulimit -v) is 4096000000, the job needs 8925478912: raise it")
}

func TestLimitsAreChecked(t *testing.T) {
	if Supported() != nil {
		t.Skip("one address space is not supported")
	}
	_, err := Create(Config{Tasks: 10_000_000})
	var limit *LimitError
	require.ErrorAs(t, err, &limit)
	require.Equal(t, "vm.max_map_count", limit.Limit)
	require.Contains(t, err.Error(), fmt.Sprint(limit.Have))
	for _, size := range []uint64{1, 3 << 30, 1 << 62} {
		_, err = Create(Config{Tasks: 2, PartitionSize: size})
		require.ErrorIs(t, err, ErrPartitionSize)
	}
	_, err = Create(Config{})
	require.ErrorContains(t, err, "at least one")
}
