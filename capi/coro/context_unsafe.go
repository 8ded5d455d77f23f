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
}

// MaxUpcall is the largest number of arguments of an upcall: as many as C passes in registers.
const MaxUpcall = 6

// At returns the Context at an address.
func At(ctx uintptr) *Context { return *(**Context)(unsafe.Pointer(&ctx)) }
