package pvas

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/limits"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// limitStack sets RLIMIT_STACK of the tests, and so of tasks, until the end of the test.
func limitStack(t *testing.T, size uint64) {
	before := sys.SoftLimit(sys.RlimitStack)
	if hard := sys.HardLimit(sys.RlimitStack); size > hard {
		t.Skipf("the hard limit of stacks is %d", hard)
	}
	require.NoError(t, sys.SetSoftLimit(sys.RlimitStack, size))
	t.Cleanup(func() { require.NoError(t, sys.SetSoftLimit(sys.RlimitStack, before)) })
}

// A task has all of the stack that the limit says, its C library knows how much that is, and what lies below
// is not of another.
func TestStackIsAsLarge(t *testing.T) {
	newSpace(t, 1)
	program := cProgram(t, "stack.c", "-fPIE", "-pie", "-O0")
	for limit, want := range map[uint64]struct{ use, size int }{
		8 << 20: {6, 8}, 200 << 20: {198, 200}, 3 << 30: {300, 3072}, 100 << 30: {100, 100 << 10},
		sys.Unlimited: {300, 1024},
	} {
		t.Run(fmt.Sprintf("MiB=%d", limit>>20), func(t *testing.T) {
			limitStack(t, limit)
			s := newSpace(t, 2)
			out, status := output(t, s, 1, TaskSpec{Path: program, Args: []string{"stack", fmt.Sprint(want.use)}})
			require.Zero(t, status)
			require.Equal(t, fmt.Sprintln(want.size), out)
			if want.size > 200 {
				return // as much memory may not be there
			}
			_, status = output(t, s, 1, TaskSpec{Path: program, Args: []string{"stack", fmt.Sprint(want.size + 1)}})
			require.True(t, status.Signaled(), "more than there is")
		})
	}
}

// Stacks of one address space are as large as it has room for, or refused.
func TestStacksThatDoNotFit(t *testing.T) {
	newSpace(t, 1)
	program := cProgram(t, "stack.c", "-fPIE", "-pie")
	t.Run("least", func(t *testing.T) {
		limitStack(t, limits.LeastStack-1)
		_, err := Create(Config{Tasks: 2})
		require.ErrorContains(t, err,
			"RLIMIT_STACK (ulimit -s) is 262143, the job needs 262144: raise it with ulimit -s 256")
	})
	stack := func(tasks int, partition uint64) (uint64, error) {
		s, err := Create(Config{Tasks: tasks, PartitionSize: partition})
		if err != nil {
			return 0, err
		}
		defer func() { require.NoError(t, s.Destroy()) }()
		l, err := s.Layout(0, program)
		return l.Stack.Len(), err
	}
	for _, c := range []struct {
		limit     uint64
		tasks     int
		partition uint64
		want      uint64 // 0: refused
		cause     string
	}{
		{sys.Unlimited, 4, 0, 1 << 30, ""},
		{sys.Unlimited, 4, 1 << 30, 256 << 20, ""},
		{sys.Unlimited, 4, 64 << 20, 16 << 20, ""},
		{limits.LeastStack, 4, 0, limits.LeastStack, ""},
		{64 << 20, 4, 64 << 20, 0, "64 MiB hold no stack of 64 MiB"},
		{64 << 20, 4, 128 << 20, 64 << 20, ""},
		{1 << 40, 4, 0, 1 << 40, ""}, // in larger partitions
		{1 << 44, 4, 0, 0, "hold no stack of 16777216 MiB: take a smaller one (--stack-size, ulimit -s)"},
		{sys.Unlimited - 1, 4, 0, 0, "take a smaller one"},
	} {
		limitStack(t, c.limit)
		size, err := stack(c.tasks, c.partition)
		if c.want == 0 {
			require.ErrorIs(t, err, ErrTooSmall, "%+v", c)
			require.ErrorContains(t, err, c.cause)
			continue
		}
		require.NoError(t, err, "%+v", c)
		require.Equal(t, c.want, size, "%+v", c)
	}
}
