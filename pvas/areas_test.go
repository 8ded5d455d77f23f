package pvas

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// The estimate of a program's areas is near to what a task of it takes.
func TestAreasOfACProgram(t *testing.T) {
	const tasks = 8
	estimate, err := Areas("/bin/cat", nil)
	require.NoError(t, err)
	s := newSpace(t, tasks+1)
	near, far, err := os.Pipe()
	require.NoError(t, err)
	defer near.Close()
	var running []*Task
	start := func(i int) {
		out, in, err := os.Pipe()
		require.NoError(t, err)
		defer out.Close()
		task, err := s.Spawn(TaskSpec{Path: "/bin/cat", Args: []string{"cat", "/proc/self/stat", "-"}, Stdin: near,
			Stdout: in, Partition: i})
		require.NoError(t, err)
		require.NoError(t, in.Close())
		running = append(running, task)
		_, err = out.Read(make([]byte, 1)) // its main function has begun
		require.NoError(t, err)
	}
	start(0)
	before := areasNow(t)
	for i := range tasks {
		start(1 + i)
	}
	each := (areasNow(t) - before) / tasks
	require.NoError(t, far.Close()) // ends them
	for _, task := range running {
		_, err := task.Wait()
		require.NoError(t, err)
	}
	require.InDelta(t, each, estimate, 5)
}

func areasNow(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	return bytes.Count(text, []byte("\n"))
}
