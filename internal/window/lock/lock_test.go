package lock

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/comm"
)

// A rank asks for the end of its lock, and goes. Another one takes the lock back, and has it when that request comes.
func TestLateEndOfALock(t *testing.T) {
	_, all := sharedWords(t, 3)
	target := all[0]
	require.True(t, target.Take(0, 1, true))
	target.untilFree(0, true).free(1)
	require.True(t, target.Take(0, 2, true))
	target.Give(0, 1, true)
	require.False(t, target.Take(0, 1, true), "rank 2 has it")
	target.Give(0, 2, true)
	require.True(t, target.Take(0, 1, true))
}

// A goroutine waits for a lock in the name of another rank when this one frees the window.
func TestWaitAsideEnds(t *testing.T) {
	_, all := sharedWords(t, 3)
	target := all[0]
	require.True(t, target.Take(0, 1, true))
	got := make(chan error)
	var left atomic.Bool
	go func() { got <- target.LockAside(2, true, left.Load) }()
	left.Store(true)
	comm.Notify(target.own, 0)
	require.ErrorIs(t, <-got, errLeft)
}
