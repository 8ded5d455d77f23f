package main

/*
#include "entry.h"
#include <stdlib.h>
*/
import "C"

import (
	"fmt"
	"os"
	"runtime/debug"
	"unsafe"

	"github.com/gopvas/gopvas/internal/capi"
	"github.com/gopvas/gopvas/internal/capi/coro"
	"github.com/gopvas/gopvas/internal/node/exit"
	"github.com/gopvas/gopvas/shm"
)

func init() {
	capi.Upcall = upcallByCgo
	capi.Fortran = func() uintptr { return uintptr(C.libmpi_fortran) }
	capi.Flush = uintptr(C.libmpi_flush)
	capi.Alone = uintptr(C.libmpi_alone)
	capi.OtherThreads = func() bool { return C.libmpi_other_threads() != 0 }
}

// libmpiCall makes a call that came by cgo.
//
//export libmpiCall
func libmpiCall(ctx C.uintptr_t) {
	coro.Room()
	serve(uintptr(ctx))
}

// libmpiFreeSlots is called when MPI is initialised and the threads go on with cgo.
//
//export libmpiFreeSlots
func libmpiFreeSlots() { shm.Sole(false, coro.Slots()) }

// libmpiLevel returns the highest thread level that has been granted.
//
//export libmpiLevel
func libmpiLevel() C.int { return C.int(capi.Level()) }

// libmpiDescribeRank is called when MPI is initialised: see faults.c.
//
//export libmpiDescribeRank
func libmpiDescribeRank(d *C.struct_described) {
	state, base, size, first, last := capi.FaultWord()
	d.state = (*C.uint)(unsafe.Pointer(state))
	d.base, d.size, d.first, d.last = C.uintptr_t(base), C.uintptr_t(size), C.long(first), C.long(last)
}

// libmpiDescribeTables is called when MPI is initialised: see window.c and types.c.
//
//export libmpiDescribeTables
func libmpiDescribeTables(t *C.struct_tables) {
	t.windows = (**C.struct_window)(unsafe.Pointer(&capi.Tables.Windows))
	t.types = (*C.uint32_t)(unsafe.Pointer(&capi.Tables.Types))
	t.made = (*C.uint64_t)(unsafe.Pointer(&capi.Tables.Made))
	t.looks = shm.SharedLooks
}

// libmpiImage returns the program that a rank ends as, and its size: see leave.c.
//
//export libmpiImage
func libmpiImage(size *C.size_t) C.uintptr_t {
	*size = C.size_t(len(exit.Image))
	return C.uintptr_t(uintptr(unsafe.Pointer(unsafe.StringData(exit.Image))))
}

// libmpiServe gives the thread back to C and serves its calls from then on, until one has the thread leave the
// coroutine, or another thread does so for it.
//
//export libmpiServe
func libmpiServe(ctx C.uintptr_t) {
	defer reportPanic()
	c := coro.At(uintptr(ctx))
	t := &thread{c: c}
	c.Guard = coro.Guard()
	shm.Sole(true, 1)
	capi.OneThread()
	capi.Upcall = func(function uintptr, args []uintptr) uintptr {
		if !c.Here() { // a goroutine with a thread of its own, which is one of C too
			return upcallByCgo(function, args)
		}
		return t.upcall(function, args)
	}
	capi.Share = t.leave
	coro.Serve(uintptr(ctx), serve)
	capi.Upcall, capi.Share = upcallByCgo, func() {}
	shm.Sole(false, coro.Slots())
}

// thread is that of the coroutine.
type thread struct {
	c       *coro.Context
	upcalls int // under way, one within the other
	leaves  bool
}

// leave has C leave the coroutine at the end of this call, or of that which has made the upcalls.
func (t *thread) leave() {
	t.leaves = true
	if t.upcalls == 0 {
		t.c.Upcall = C.LEAVE
	}
}

// reportPanic says why a call by the coroutine has panicked, and where, and ends the process as
// the runtime does. The runtime could not: leaving the goroutine it returns to the stack on which
// the thread first called Go. C's frames are there now, and the runtime refuses to run on it.
func reportPanic() {
	if v := recover(); v != nil {
		fmt.Fprintf(os.Stderr, "libmpi: panic: %v\n\n%s", v, debug.Stack())
		C.abort()
	}
}

// serve makes a call, unless a function of an upcall has returned: by that it stops.
func serve(ctx uintptr) (stop bool) {
	c := coro.At(ctx)
	if c.Op < 0 {
		switch c.Op {
		case C.OP_CHANGED:
			capi.WindowChanged(c.Args)
		case C.OP_WAITING:
			capi.WindowWaits(c.Args)
		case C.OP_ARGUMENT:
			capi.OperatorArgument(c.Args)
		case C.OP_FORTRAN:
			capi.CalledInFortran(c.Args)
		case C.OP_REPLACE:
			capi.ReplaceCallbacks(c.Args)
		case C.OP_THREADS:
			capi.SecondThread(int(c.Args))
		}
		return c.Op == C.OP_RETURN
	}
	result, handler := capi.Call(int(c.Op), c.Args)
	c.Result = result
	if handler.Function != 0 {
		c.Handler, c.Object, c.Code = handler.Function, handler.Object, int64(handler.Code)
	}
	return false
}

// upcall has C call a function of its own before this call goes on.
func (t *thread) upcall(function uintptr, args []uintptr) uintptr {
	c := t.c
	copy(c.UpcallArgs[:], args)
	c.Upcall = function
	t.upcalls++
	coro.Switch(c.Addr())
	t.upcalls--
	if t.leaves {
		t.leave()
	}
	return uintptr(c.Result)
}

// upcallByCgo runs a function of C on the calling thread.
func upcallByCgo(function uintptr, args []uintptr) uintptr {
	var all [coro.MaxUpcall]uintptr
	copy(all[:], args)
	return uintptr(C.libmpi_upcall(C.uintptr_t(function), (*C.uintptr_t)(unsafe.Pointer(&all[0]))))
}
