//go:build amd64 || arm64

package coro

import "unsafe"

// A goroutine's record in the runtime begins with the bounds of its stack and the stack
// guard: the prologue of each function compares the stack pointer with it. The guard is
// the lower bound plus a distance, or a huge number that asks for preemption. resume writes the
// usual value in place of the request, unless a collection of garbage is underway.
//
// These places and numbers are the runtime's own and may change with its version. A test
// pins them. At run time Guard checks what can be checked, and resume leaves the guard
// alone if it is not as expected: then calls after long computations take longer, no more.
const (
	stackLo    = 0  // runtime.g.stack.lo
	stackHi    = 8  // runtime.g.stack.hi
	stackGuard = 16 // runtime.g.stackguard0

	guardDistance = 928 // runtime.stackGuard
	// stackPreempt is the request for preemption.
	stackPreempt = ^uintptr(1314 - 1) // runtime.stackPreempt
)

// word reads a field of the goroutine's record.
func word(address uintptr) uintptr { return **(**uintptr)(unsafe.Pointer(&address)) }

// Guard returns the distance between a stack's end and its guard, for Context.Guard, or 0 if
// this version of Go lays the record out otherwise.
func Guard() uintptr {
	g := currentG()
	var here byte
	at := uintptr(unsafe.Pointer(&here))
	lo, hi, guard := word(g+stackLo), word(g+stackHi), word(g+stackGuard)
	if at < lo || at >= hi || guard != lo+guardDistance && guard != stackPreempt {
		return 0
	}
	return guardDistance
}
