package main

/*
#include "entry.h"
*/
import "C"

import (
	"unsafe"

	"github.com/gopvas/gopvas/capi/coro"
	"github.com/gopvas/gopvas/shm"
)

// libmpiCall is the entry by cgo. It returns 1 if the thread shall change to the coroutine.
//
//export libmpiCall
func libmpiCall(ctx C.uintptr_t) C.int {
	c := coro.At(uintptr(ctx))
	c.Result = call(int(c.Op), c.Args)
	if c.Op == 0 {
		return 1
	}
	return 0
}

// libmpiServe gives the thread back to C at once and serves its calls from then on.
//
//export libmpiServe
func libmpiServe(ctx C.uintptr_t) {
	shm.Sole()
	coro.At(uintptr(ctx)).Guard = coro.Guard()
	coro.Serve(uintptr(ctx), serve)
}

// serve makes one call that came by the coroutine.
func serve(ctx uintptr) (stop bool) {
	c := coro.At(ctx)
	if c.Op == C.OP_RETURN {
		return true
	}
	c.Result = call(int(c.Op), c.Args)
	return false
}

// upcall runs a function of C on the stack of C.
func upcall(function uintptr, args []uintptr) uintptr {
	var a [coro.MaxUpcall]uintptr
	copy(a[:], args)
	return uintptr(C.libmpi_upcall(C.uintptr_t(function), (*C.uintptr_t)(unsafe.Pointer(&a[0]))))
}
