package toolchain

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/pvas"
)

// testCopies: two copies of a program with two runtimes of Go live in one address space. Each has its own functions,
// and reads the heap of the other while both collect garbage.
func testCopies(t *testing.T) {
	if err := pvas.Supported(); err != nil {
		t.Skip(err)
	}
	program := filepath.Join(t.TempDir(), "copy")
	out, err := exec.Command("go", "build", "-buildmode=pie", "-o", program, "./testdata/copy").CombinedOutput()
	require.NoError(t, err, "%s", out)
	space, err := pvas.Create(pvas.Config{Tasks: 2})
	require.NoError(t, err)
	defer func() { require.NoError(t, space.Destroy()) }()
	var copies [2]*running
	for i := range copies {
		copies[i] = start(t, space, program, i)
		defer copies[i].end(t)
	}
	var heap, function [2]uint64
	for i, c := range copies {
		c.read(t, "%x %x\n", &heap[i], &function[i])
		image := c.task.Layout().Image
		require.True(t, function[i] >= image.Start && function[i] < image.End, "%#x in %v", function[i], image)
	}
	for i, c := range copies {
		_, err := fmt.Fprintf(c.in, "%x\n", heap[1-i])
		require.NoError(t, err)
	}
	for _, c := range copies {
		var sum int
		c.read(t, "functions %d\n", &sum)
		require.Equal(t, 42, sum)
	}
}

// running is a copy that runs.
type running struct {
	task *pvas.Task
	in   *os.File
	out  *os.File
	text *bufio.Reader
}

func start(t *testing.T, space *pvas.Space, program string, partition int) *running {
	stdin, in, err := os.Pipe()
	require.NoError(t, err)
	out, stdout, err := os.Pipe()
	require.NoError(t, err)
	task, err := space.Spawn(pvas.TaskSpec{Path: program, Args: []string{program}, Partition: partition,
		Env: []string{"GOTRACEBACK=all"}, Stdin: stdin, Stdout: stdout, Stderr: stdout})
	require.NoError(t, err)
	require.NoError(t, stdin.Close())
	require.NoError(t, stdout.Close())
	return &running{task, in, out, bufio.NewReader(out)}
}

// read reads a line.
func (r *running) read(t *testing.T, format string, to ...any) {
	line, err := r.text.ReadString('\n')
	require.NoError(t, err, line)
	_, err = fmt.Sscanf(line, format, to...)
	if err != nil {
		rest, _ := r.text.Peek(r.text.Buffered())
		require.NoError(t, err, "%s%s", line, rest)
	}
}

// end has the copy end, and waits for that.
func (r *running) end(t *testing.T) {
	require.NoError(t, r.in.Close())
	status, err := r.task.Wait()
	require.NoError(t, err)
	require.Zero(t, status)
	require.NoError(t, r.out.Close())
}
