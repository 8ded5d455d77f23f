//go:build amd64 || arm64

package coro

// Supported tells whether this machine has Serve.
const Supported = true

// Switch leaves the goroutine's stack for the stack of C in the Context at ctx. It returns
// when the dispatcher has returned true.
func Switch(ctx uintptr)

// Room has the stack of the calling goroutine grow until it has room for handlers of signals: see the package.
func Room()

// below is Switch, beneath a frame that nothing is written to. The runtime halves a stack of which less than a quarter
// is used: so it does not halve that which Room has made.
func below(ctx uintptr)

// currentG returns the address of the runtime's record of the calling goroutine.
func currentG() uintptr

// exchangeG is a function for C, by the calling convention of C: it takes what the runtime is to know as the goroutine
// of the calling thread, and returns what that was. By it one thread ends Serve in place of another.
//
//lint:ignore U1000 Switch hands its address to C
func exchangeG()

// dispatcher is what Serve was given.
//
//lint:ignore U1000 called in assembly
var dispatcher func(ctx uintptr) (stop bool)

// Serve gives the calling thread back to C, with a Context at ctx by which it calls. f
// serves each call. Serve returns after f has returned true, outside of any upcall.
func Serve(ctx uintptr, f func(ctx uintptr) (stop bool)) {
	dispatcher = f
	At(ctx).Goroutine = currentG()
	Room()
	below(ctx)
}
