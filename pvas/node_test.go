package pvas

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// The partition of a task with a node takes its memory from there, whoever touches it first, and the task itself is as
// free as any other.
func TestMemoryOnANode(t *testing.T) {
	node := 0
	s := newSpace(t, 2)
	task := start1(t, s, 0, "block")
	require.NotContains(t, policies(t, s, 0), "prefer", "nobody has asked for it")
	stop(t, task)
	at := task.Layout()
	task, err := s.Spawn(TaskSpec{Path: goProgram(), Args: []string{"prog", "block"}, Partition: 1, Node: &node})
	require.NoError(t, err)
	base, _ := s.Partition(0)
	if text := policies(t, s, 1); text != "" && sys.MemoryOn(uintptr(base), 4096, 0) == nil {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		require.Contains(t, lines[0], " prefer:0", "stack and mailbox")
		require.Contains(t, lines[len(lines)-1], " prefer:0", "arena")
		for _, line := range lines {
			if strings.Contains(line, "file=") {
				require.Contains(t, line, " default ", "others map the file, too")
			}
		}
	} // else the kernel has no NUMA, or a filter forbids to choose nodes
	stop(t, task)
	require.Equal(t, at.Arena.Len(), task.Layout().Arena.Len())
}

func stop(t *testing.T, task *Task) {
	require.NoError(t, task.Signal(9))
	_, err := task.Wait()
	require.NoError(t, err)
}

// policies are the lines of numa_maps about a partition.
func policies(t *testing.T, s *Space, partition int) string {
	text, err := os.ReadFile("/proc/self/numa_maps")
	if err != nil {
		return ""
	}
	base, size := s.Partition(partition)
	var found strings.Builder
	for line := range strings.Lines(string(text)) {
		var at uint64
		for _, c := range strings.Fields(line)[0] {
			at = at<<4 + uint64(strings.IndexRune("0123456789abcdef", c))
		}
		if at >= base && at < base+size {
			found.WriteString(line)
		}
	}
	require.NotEmpty(t, found.String())
	return found.String()
}
