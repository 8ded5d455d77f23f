package exit_test

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/exit"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/pvas"
)

// A task that has left is another program when it has ended.
func TestLeavesAtTheEnd(t *testing.T) {
	if err := pvas.Supported(); err != nil {
		t.Skip(err)
	}
	programs := testkit.Programs{Dir: t.TempDir()}
	program := programs.Build(t, "./testdata/ends")
	space, err := pvas.Create(pvas.Config{Tasks: 1})
	require.NoError(t, err)
	defer func() { require.NoError(t, space.Destroy()) }()
	layout, err := space.Layout(0, program)
	require.NoError(t, err)
	require.NotZero(t, layout.ExitHooks)
	for way, want := range map[string]struct {
		left bool
		code int
		out  string
	}{
		"return": {true, 0, "deferred\n"}, "signal": {true, 0, "deferred\n"}, "child": {true, 0, "deferred\n"},
		"exit 0": {true, 0, ""}, "goroutine": {true, 0, ""}, "exit 3": {false, 3, ""},
	} {
		t.Run(way, func(t *testing.T) {
			out, err := os.Create(filepath.Join(t.TempDir(), "out"))
			require.NoError(t, err)
			defer out.Close()
			task, err := space.Spawn(pvas.TaskSpec{Path: program, Stdout: out, Stderr: out, Name: "ends",
				Args: []string{"ends", fmt.Sprint(layout.ExitHooks), way}})
			require.NoError(t, err)
			require.NoError(t, sys.AwaitEnd(task.Pid()))
			name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", task.Pid()))
			require.NoError(t, err)
			status, err := task.Wait()
			require.NoError(t, err)
			require.True(t, status.Exited(), status)
			require.Equal(t, want.code, status.ExitStatus())
			require.Equal(t, want.left, strings.TrimSpace(string(name)) != "ends", string(name))
			said, err := os.ReadFile(out.Name())
			require.NoError(t, err)
			require.Equal(t, want.out, string(said))
		})
	}
}

// No thread is started for the end. The runtime may start one meanwhile for its own ends, but not always.
func TestStartsNoThread(t *testing.T) {
	programs := testkit.Programs{Dir: t.TempDir()}
	program := programs.Build(t, "./testdata/ends")
	const attempts = 100
	for range attempts {
		out, err := exec.Command(program, "0", "thread").Output()
		require.NoError(t, err)
		if strings.HasPrefix(string(out), "0\n") {
			return
		}
	}
	t.Fatal("a thread was started each time")
}

// The image ends with any code, and tools can read it.
func TestImage(t *testing.T) {
	f, err := sys.ProgramFile("image")
	require.NoError(t, err)
	defer f.Close()
	_, err = f.WriteString(exit.Image)
	require.NoError(t, err)
	file, err := elf.NewFile(f)
	require.NoError(t, err)
	require.Len(t, file.Progs, 1)
	require.EqualValues(t, len(exit.Image), file.Progs[0].Filesz)
	for _, code := range []int{0, 1, 77, 255} {
		cmd := exec.Command(fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), f.Fd()), make([]string, code)...)
		_ = cmd.Run()
		require.Equal(t, code, cmd.ProcessState.ExitCode(), cmd.ProcessState)
	}
}
