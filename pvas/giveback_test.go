package pvas

import (
	"fmt"
	"math"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// The memory of a task that has ended is given back, and that of another one stays.
func TestGiveBack(t *testing.T) {
	s := newSpace(t, 2)
	var tasks [2]*Task
	var at [2]uint64
	for i := range tasks {
		tasks[i], at[i] = withHeap(t, s, i)
	}
	ones := func(task int) (n int) {
		for _, b := range bytesAt(at[task], 100<<20) {
			n += int(b)
		}
		return n
	}
	require.NoError(t, tasks[0].Signal(syscall.SIGKILL))
	_, err := tasks[0].Wait()
	require.NoError(t, err)
	require.NoError(t, s.GiveBack([]Remains{{tasks[0], at[0]}}, []uint64{at[0]}))
	require.Equal(t, 100<<20, ones(0), "it may be another's")
	require.NoError(t, s.GiveBack([]Remains{{tasks[0], at[0]}}, at[1:]))
	require.Zero(t, ones(0))
	require.Zero(t, bytesAt(tasks[0].Layout().Stack.End-8, 8)[0])
	require.Equal(t, 100<<20, ones(1))
}

// withHeap starts a task that has a heap of ones, and returns their address.
func withHeap(t *testing.T, s *Space, partition int) (task *Task, at uint64) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	task, err = s.Spawn(TaskSpec{Path: goProgram(), Args: []string{"prog", "heap"}, Partition: partition, Stdout: w})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	_, err = fmt.Fscanf(r, "0x%x\n", &at)
	require.NoError(t, err)
	return task, at
}

// An address is in a heap if all areas there are those of arenas.
func TestHeapOf(t *testing.T) {
	const arena = heapArena
	mapped := []run{
		{Range{4096, 8192}, true},
		{Range{2 * arena, 4 * arena}, true},
		{Range{5 * arena, 6*arena + 4096}, true},
		{Range{7*arena - 4096, 8 * arena}, true},
		{Range{9 * arena, 10 * arena}, false},
		{Range{11 * arena, 12 * arena}, true},
	}
	for at, want := range map[uint64]Range{
		0:             {},
		4096:          {},
		2*arena - 1:   {},
		2 * arena:     {2 * arena, 4 * arena},
		4*arena - 1:   {2 * arena, 4 * arena},
		4 * arena:     {},
		5 * arena:     {},
		7 * arena:     {},
		9 * arena:     {},
		11 * arena:    {},
		12 * arena:    {},
		math.MaxInt64: {},
	} {
		require.Equal(t, want, heapOf(mapped, at, []uint64{1, 2*arena - 1, 4 * arena, 12*arena - 1}), "%#x", at)
	}
}
