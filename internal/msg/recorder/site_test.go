package recorder

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopvas/gopvas/trace"
)

// TestReturnAt: the frame pointers lead to the same functions as the runtime's own walk.
func TestReturnAt(t *testing.T) {
	if currentG() == 0 {
		t.Skip("calls have no places on this machine")
	}
	assert.Zero(t, returnAt(0))
	assert.Zero(t, returnAt(1000), "a goroutine has not so many frames")
	var pcs [callers]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])]) // who has called this test
	want, _ := frames.Next()
	found := false
	for depth := uint64(1); depth < callers; depth++ {
		if pc := returnAt(depth); pc != 0 {
			found = found || runtime.FuncForPC(pc-1).Entry() == want.Entry
		}
	}
	assert.True(t, found, want.Function)
}

// TestOfLibrary: programs that lie in the module are none of the library.
func TestOfLibrary(t *testing.T) {
	for name, want := range map[string]bool{
		library + "mpi.Send[...]": true, library + "internal/msg/coll/cad.(*Engine).Run": true,
		library + "internal/msg/comm/agree.Circle.Propose": true,
		library + "internal/msg/recorder.(*Recorder).Call": true,
		library + "mpi_test.main":                          false, library + "examples/gauss.main": false,
		"main.main": false, "runtime.main": false,
	} {
		assert.Equal(t, want, ofLibrary(name), name)
	}
	assert.Zero(t, shortSend)
	assert.Less(t, int(trace.Neighbor), len(sites{}.depth))
}
