//go:build amd64 || arm64

package coro_test

import (
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/capi/coro"
	"github.com/gopvas/gopvas/internal/capi/coro/corotest"
)

// collectEnv makes the test binary the process of TestCollectionsEnd.
const collectEnv = "CORO_TEST_COLLECT"

// leaf is live memory that a collection takes long to look through.
type leaf struct {
	next *leaf
	_    [56]byte
}

var (
	live  *leaf
	waste []byte
	never atomic.Uint32
)

// compute runs for some milliseconds as C does: it calls nothing, and so obeys no request.
func compute() {
	for i := 0; i < 3_000_000 && never.Load() == 0; i++ {
	}
}

// TestCollectionsEnd: a call begins a collection of garbage, and the calls after it allocate nothing while the
// program computes between them. The collection ends nevertheless. As in the library requests for preemption come by
// the guard alone, and there is one P, in a process of its own.
func TestCollectionsEnd(t *testing.T) {
	if os.Getenv(collectEnv) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestCollectionsEnd$")
		cmd.Env = append(os.Environ(), collectEnv+"=1", "GODEBUG=asyncpreemptoff=1", "GOMAXPROCS=1", "GOGC=100")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return
	}
	const bound = 3000 // calls; some ten are enough
	for range 200_000 {
		live = &leaf{next: live}
	}
	runtime.GC()
	calls := 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		stack := uintptr(unsafe.Pointer(&program.stack)) + uintptr(len(program.stack))
		program.ctx = coro.Context{CSP: stack, Back: corotest.Entry(), Guard: coro.Guard()}
		coro.Serve(program.ctx.Addr(), func(uintptr) bool {
			for calls == 0 && !corotest.Marking() {
				waste = make([]byte, 512)
			}
			calls++
			compute()
			return !corotest.Marking() || calls == bound
		})
	}()
	<-done
	require.Less(t, calls, bound, "the write barrier is still on")
	t.Logf("%d calls", calls)
	runtime.KeepAlive(live)
}
