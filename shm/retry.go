package shm

import (
	"runtime"

	"github.com/gopvas/gopvas/internal/sys"
)

// mostTries is how often a reader looks for a writer to finish: a few stores, or a slice of each of many others, if the
// writer has lost its CPU.
const mostTries = 1000

// Retry calls try until that returns true. It is for words that another process writes in a few steps: a reader that
// finds them half written lets the writer run. It returns false if that does not help: the writer has died there.
func Retry(try func() bool) bool {
	for range mostTries {
		if try() {
			return true
		}
		runtime.Gosched() // the writer may be a goroutine of this process
		sys.Yield()
	}
	return false
}
