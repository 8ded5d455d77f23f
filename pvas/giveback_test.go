package pvas

import (
	"fmt"
	"math"
	"os"
	"strings"
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
		0:              {},
		4096:           {},
		2*arena - 1:    {},
		2 * arena:      {2 * arena, 4 * arena},
		4*arena - 1:    {2 * arena, 4 * arena},
		4 * arena:      {},
		5 * arena:      {},
		7 * arena:      {},
		9 * arena:      {},
		11 * arena:     {},
		12 * arena:     {},
		math.MaxUint64: {},
	} {
		require.Equal(t, want, heapOf(mapped, at, []uint64{1, 2*arena - 1, 4 * arena, 12*arena - 1}), "%#x", at)
	}
}

// Areas that border on one another are a run, but are parted where one arena of a heap cannot be followed by the next.
func TestRuns(t *testing.T) {
	const arena = heapArena
	for text, want := range map[string][]run{
		// a heap, whose first page is not in use, below it an arena of glibc, above it a thread's stack
		"10000000-10021000 rw-p 0 00:00 0\n" +
			"10021000-14c00000 ---p 0 00:00 0\n" +
			"14c00000-18400000 rw-p 0 00:00 0\n" +
			"18400000-1c000000 ---p 0 00:00 0\n" +
			"1c000000-1c800000 rw-p 0 00:00 0\n": {
			{Range{4 * arena, 5 * arena}, true}, {Range{5 * arena, 7 * arena}, true},
			{Range{7 * arena, 7*arena + 8<<20}, true}},
		// what is not in use for long, then a hole and a file
		"10000000-20000000 ---p 0 00:00 0\n20000000-20001000 rw-p 0 00:00 0\n" +
			"20002000-20003000 rw-p 0 00:00 0\n20003000-20004000 r--p 0 00:00 7 /a\n": {
			{Range{4 * arena, 8 * arena}, true}, {Range{8 * arena, 8*arena + 4096}, true},
			{Range{8*arena + 8192, 8*arena + 16384}, false}},
		"0ffff000-18001000 ---p 0 00:00 0\n": {
			{Range{4*arena - 4096, 4 * arena}, true}, {Range{4 * arena, 6 * arena}, true},
			{Range{6 * arena, 6*arena + 4096}, true}},
	} {
		got, err := runs(strings.NewReader(text))
		require.NoError(t, err)
		require.Equal(t, want, got, text)
	}
}
