package shm

import (
	"runtime"
	"time"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// mostTries is how often a reader looks for a writer to finish: a few stores, or a slice of each of many others, if the
// writer has lost its CPU. Where each look costs slices of many others, retryTime ends that: the supervisor must not
// wait long for a rank that was killed there.
const (
	mostTries = 1000
	retryTime = 20 * time.Millisecond
)

// Retry calls try until that returns true. It is for words that another process writes in a few steps: a reader that
// finds them half written lets the writer run. It returns false if that does not help in time: the writer has died
// there, or does not get a CPU.
func Retry(try func() bool) bool {
	if try() {
		return true
	}
	end := sys.Monotonic() + int64(retryTime)
	for range mostTries {
		if try() {
			return true
		}
		if sys.Monotonic() > end {
			return false
		}
		runtime.Gosched() // the writer may be a goroutine of this process
		sys.Yield()
	}
	return false
}
