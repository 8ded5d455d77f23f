//go:build amd64 || arm64

package coro_test

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/capi/coro"
	"github.com/gopvas/gopvas/internal/capi/coro/corotest"
)

// program is the context and the stack of C: memory that does not move.
var program struct {
	ctx   coro.Context
	stack [4096]byte
}

// deep makes the stack of the goroutine grow, and so move, and returns n.
func deep(n int) int {
	var frame [512]byte
	frame[n%512] = byte(n)
	if n == 0 {
		return int(frame[0])
	}
	return deep(n-1) + 1 + int(frame[(n+1)%512])
}

// zeros returns zeroed memory, for which compiled code uses X15.
//
//go:noinline
func zeros() (z [8]uint64) { return z }

// calls serves the calls of a program. Its method is a closure, which is found by DX.
type calls struct {
	t       *testing.T
	upcalls int // functions of the program that run
	served  int
	garbage [][]byte
}

// serve makes the stack grow and collects garbage, and from time to time changes to the program from
// deeper in the stack, as an upcall does. The call after that ends the upcall.
func (c *calls) serve(ctx uintptr) (stop bool) {
	op := coro.At(ctx).Op
	if c.upcalls > 0 {
		c.upcalls--
		return true
	}
	c.served++
	require.True(c.t, coro.At(ctx).Here())
	require.Equal(c.t, [8]uint64{}, zeros())
	depth := 100 * int(op%50)
	require.Equal(c.t, depth, deep(depth))
	c.garbage = append(c.garbage[len(c.garbage)/2:], make([]byte, 1<<10))
	if op%7 == 0 {
		runtime.GC() // looks through this stack, and may make it smaller
	}
	if op%5 == 0 {
		c.upcalls++
		coro.Switch(ctx)
		require.Equal(c.t, op+1, coro.At(ctx).Op)
		require.Equal(c.t, depth, deep(depth))
	}
	require.Equal(c.t, [8]uint64{}, zeros())
	return op >= 200
}

// Go finds its registers and its stack again when C has used all registers for itself, and when the
// stack has moved meanwhile.
func TestServe(t *testing.T) {
	done := make(chan *calls)
	go func() { // whose stack is small at first
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		c := &calls{t: t}
		defer func() { done <- c }()
		before := uintptr(unsafe.Pointer(&program.stack)) + uintptr(len(program.stack))
		program.ctx = coro.Context{CSP: before, Back: corotest.Entry(), Guard: coro.Guard()}
		coro.Serve(program.ctx.Addr(), c.serve)
		require.Equal(t, before, program.ctx.CSP)
		require.EqualValues(t, 201, program.ctx.Op, "the last one has ended an upcall")
	}()
	c := <-done
	require.Equal(t, 161, c.served)
}
