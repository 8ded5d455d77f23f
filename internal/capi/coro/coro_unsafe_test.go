//go:build amd64 || arm64

package coro

import (
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// The assembly and entry.h of cmd/libmpi have these numbers too.
func TestOffsets(t *testing.T) {
	var c Context
	for name, at := range map[string][2]uintptr{
		"CSP":       {unsafe.Offsetof(c.CSP), 0},
		"GoSP":      {unsafe.Offsetof(c.GoSP), 8},
		"GoBP":      {unsafe.Offsetof(c.GoBP), 16},
		"Back":      {unsafe.Offsetof(c.Back), 24},
		"Resume":    {unsafe.Offsetof(c.Resume), 32},
		"Guard":     {unsafe.Offsetof(c.Guard), 40},
		"Op":        {unsafe.Offsetof(c.Op), 48},
		"Args":      {unsafe.Offsetof(c.Args), 56},
		"Result":    {unsafe.Offsetof(c.Result), 64},
		"Upcall":    {unsafe.Offsetof(c.Upcall), 72},
		"Arguments": {unsafe.Offsetof(c.UpcallArgs), 80},
		"Handler":   {unsafe.Offsetof(c.Handler), 128},
		"Object":    {unsafe.Offsetof(c.Object), 136},
		"Code":      {unsafe.Offsetof(c.Code), 144},
		"Goroutine": {unsafe.Offsetof(c.Goroutine), 152},
		"Exchange":  {unsafe.Offsetof(c.Exchange), 160},
		"size":      {unsafe.Sizeof(c), 192},
	} {
		require.Equal(t, at[1], at[0], name)
	}
	require.True(t, At(uintptr(unsafe.Pointer(&c))) == &c)
}

// grow makes the stack move.
func grow(n int) int {
	var frame [1024]byte
	frame[n%1024] = 1
	if n == 0 {
		return int(frame[0])
	}
	return grow(n-1) + int(frame[n%1024])
}

// Guard finds the record of a goroutine as it expects it, on stacks of all sizes. If this
// fails with a new version of Go, look at runtime.g and runtime.stackGuard there. The race
// detector makes frames larger and the distance another one: Guard says 0 then, and resume does without.
func TestGuard(t *testing.T) {
	want := guardDistance
	if testkit.Race {
		want = 0
	}
	require.EqualValues(t, want, Guard())
	for _, depth := range []int{1, 100, 1000} {
		done := make(chan uintptr)
		go func() {
			grow(depth)
			done <- Guard()
		}()
		require.EqualValues(t, want, <-done)
	}
}

// preemptEnv makes the test binary wait for a request for preemption.
const preemptEnv = "CORO_TEST_PREEMPT"

// The number in a guard that asks for preemption is the one that resume withdraws. The
// request must come by the guard alone, so the signal is switched off, in a process of its own.
func TestRequestForPreemption(t *testing.T) {
	if os.Getenv(preemptEnv) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestRequestForPreemption$")
		cmd.Env = append(os.Environ(), preemptEnv+"=1", "GODEBUG=asyncpreemptoff=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return
	}
	runtime.LockOSThread()
	g := currentG()
	guard := (*atomic.Uintptr)(*(*unsafe.Pointer)(unsafe.Pointer(new(g + stackGuard))))
	var seen uintptr
	for i := 0; i < 1<<35 && seen < 1<<63; i++ { // without a call, which would obey the request
		seen = guard.Load()
	}
	require.Equal(t, uintptr(stackPreempt), seen)
}
