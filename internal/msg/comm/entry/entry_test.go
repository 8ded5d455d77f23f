package entry

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// One goroutine at a time is inside, each one comes in, and those that overlap are told of one another.
func TestEntry(t *testing.T) {
	var e Entry
	require.True(t, e.Enter("one"))
	require.False(t, e.Enter("two"))
	done := make(chan string)
	go func() {
		e.Race("two")
		done <- e.Leave()
	}()
	for !e.Raced() {
		runtime.Gosched()
	}
	require.Equal(t, "two", e.Leave())
	require.Equal(t, "one", <-done)
	require.True(t, e.Enter("three"))
	require.Empty(t, e.Leave())
	require.Zero(t, e.Held().Load())
}

func TestManyRacers(t *testing.T) {
	var e Entry
	var wg sync.WaitGroup
	inside := 0 // the race detector sees a second one
	for range 8 {
		wg.Go(func() {
			for range 2000 {
				if !e.Enter("call") {
					e.Race("call")
				}
				inside++
				e.Leave()
			}
		})
	}
	wg.Wait()
	require.Equal(t, 16000, inside)
}
