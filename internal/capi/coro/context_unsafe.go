package coro

import "unsafe"

// A Context is the memory by which C and Go meet. It lies in C's memory; C and
// the assembly know its offsets.
type Context struct {
	CSP    uintptr // C's stack pointer while Go runs
	GoSP   uintptr // the goroutine's stack pointer while C runs
	GoBP   uintptr // its frame pointer
	Back   uintptr // where Go jumps to in C
	Resume uintptr // where C jumps to in Go
	Guard  uintptr // what Guard returns, or 0 to leave requests for preemption alone

	Op     int64   // what C calls
	Args   uintptr // its arguments
	Result int64   // what it returns

	Upcall     uintptr // a function of C to be called, or 0: the call has ended
	UpcallArgs [MaxUpcall]uintptr

	Handler uintptr // a function of C to be called when the call has returned, or 0
	Object  uintptr // its arguments
	Code    int64

	Goroutine uintptr    // the goroutine of the coroutine, as the runtime knows it
	Exchange  uintptr    // of exchangeG
	_         [3]uintptr // of C
}

// MaxUpcall is the largest number of arguments of an upcall: as many as C passes in registers.
const MaxUpcall = 6

// At returns the Context at an address.
func At(ctx uintptr) *Context { return *(**Context)(unsafe.Pointer(&ctx)) }

// Addr returns the address.
func (c *Context) Addr() uintptr { return uintptr(unsafe.Pointer(c)) }

// Here tells whether the calling goroutine is that of the coroutine.
func (c *Context) Here() bool { return c.Goroutine == currentG() }
