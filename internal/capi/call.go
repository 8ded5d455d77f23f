package capi

import (
	"fmt"
	"math/bits"
	"os"
	"sync"
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/recorder"
)

// Call is a call of the C program: of the function with the number op, whose arguments are
// words of 64 bits at the address args. The result is an error code, or what the
// function returns in C. The caller calls the handler after Call has returned.
func Call(op int, args uintptr) (int64, Handler) {
	return process.call(op, slots(args))
}

// A Handler is a function of the C program that handles the error of a call. It is called when no
// Go code is at work for the call any more, because it may leave by longjmp or an exception.
type Handler struct {
	Function uintptr // 0: none
	Object   uintptr // the handle of the communicator, window, file or session
	Code     int     // the error code
}

// call asks one flag and the arguments whether the call is of the usual kind: the rest is for
// others.
func (p *Process) call(op int, a slots) (int64, Handler) {
	if !p.usual.Load() {
		return p.callUnusual(op, a)
	}
	outer := p.inside.enterAlone(op, a)
	result := int64(SUCCESS)
	did, err := p.plainCall(op, a)
	if !did {
		if c := &calls[op]; c.tool || c.firstNull(a) >= 0 {
			p.inside.leaveAlone(outer)
			return p.callUnusual(op, a)
		}
		result, err = p.dispatch(op, a)
	}
	p.inside.leaveAlone(outer)
	if err != nil {
		return p.raise(op, a, err)
	}
	return result, Handler{}
}

// callUnusual is call in any state of the process.
func (p *Process) callUnusual(op int, a slots) (int64, Handler) {
	c := &calls[op]
	switch {
	case p.state.Load() != running && !c.anytime:
		return p.raise(op, a, p.notRunning())
	case c.tool && p.tool.users.Load() <= 0:
		return T_ERR_NOT_INITIALIZED, Handler{}
	}
	var result int64
	var err error
	outer := p.inside.enter(op, a)
	if null := c.firstNull(a); null >= 0 || p.recorded || comm.Operating() {
		result, err = p.rare(op, a, null)
	} else {
		result, err = p.dispatch(op, a)
	}
	p.inside.leave(op, outer)
	switch {
	case err == nil:
		return result, Handler{}
	case c.tool:
		return int64(classOf(err)), Handler{}
	}
	return p.raise(op, a, err)
}

// rare is dispatch of a call that needs more care. Its argument null is the first null pointer; -1: there is none. The
// call may be recorded with its place in the program, and an operator may have made it.
func (p *Process) rare(op int, a slots, null int) (_ int64, err error) {
	defer comm.CatchRefusal(&err)
	if p.recorded && a != 0 {
		defer recorder.FromC(recorder.FromC(caller(a)))
	}
	if null >= 0 {
		return p.guard(op, a, null)
	}
	return p.dispatch(op, a)
}

// Fortran returns where the program goes on after the subroutine of Fortran that is under way, 0: there is none.
var Fortran func() uintptr

// caller returns where the program goes on after a call.
func caller(a slots) uintptr {
	if Fortran != nil {
		if pc := Fortran(); pc != 0 {
			return pc
		}
	}
	return a.word(-1)
}

// guard is dispatch, in which the access to an argument that is a null pointer is an error. Such
// an argument may not be needed, so only the access tells. A call without null pointers is not
// guarded, since that costs as much as a short call.
func (p *Process) guard(op int, a slots, null int) (result int64, err error) {
	if needed := firstNull(calls[op].needed, a); needed >= 0 {
		return 0, nullArgument(needed) // before an operation begins that would have no handle
	}
	guarded.Add(1)
	defer func() {
		guarded.Add(-1)
		switch v := recover(); v.(type) {
		case nil:
		case nullPointer:
			err = nullArgument(null)
		default:
			panic(v)
		}
	}()
	return p.dispatch(op, a)
}

func nullArgument(i int) error {
	return fail(ERR_ARG, "argument %d is a null pointer: pass memory that MPI can read or write", i+1)
}

// guarded is the number of calls in which an access to a null pointer panics with nullPointer.
// In others the access is a fault of the program.
var guarded atomic.Int32

type nullPointer struct{}

// null ends a guarded call that accesses a null pointer.
//
//go:noinline
func null() {
	if guarded.Load() > 0 {
		panic(nullPointer{})
	}
}

// firstNull is the first argument that is a null pointer, -1 if none is.
func (c *callInfo) firstNull(a slots) int { return firstNull(c.pointers, a) }

// firstNull is the first argument of a mask that is a null pointer, -1 if none is.
func firstNull(mask uint32, a slots) int {
	for ; mask != 0; mask &= mask - 1 {
		if i := bits.TrailingZeros32(mask); a.word(i) < firstPage {
			return i
		}
	}
	return -1
}

// lookedUp is an object that a handle stands for, or why there is none.
type lookedUp[T any] struct {
	object T
	err    error
}

func found[T any](object T, err error) lookedUp[T] { return lookedUp[T]{object, err} }

// then does what a function does with the object, if there is one.
func (l lookedUp[T]) then(do func(T) error) error {
	if l.err != nil {
		return l.err
	}
	return do(l.object)
}

// callInfo describes a function.
type callInfo struct {
	name    string // in C
	object  objectKind
	slot    int8 // the argument that is the object
	pointer bool // the argument is a pointer to the object
	anytime bool // may be called before MPI_Init and after MPI_Finalize
	tool    bool // is between MPI_T_init_thread and MPI_T_finalize, and calls no error handler

	// pointers are the arguments that are pointers, but for buffers and statuses that may be ignored. Bit 0 is the
	// first.
	pointers uint32
	needed   uint32 // those of them without which the function does nothing
}

// objectKind is the kind of object whose error handler handles the errors of a function.
type objectKind int8

const (
	noObject objectKind = iota
	onComm
	onWin
	onFile
	onSession
)

// handle returns the handle of the object that a call is about.
func (c *callInfo) handle(a slots) uintptr {
	switch {
	case c.object == noObject:
		return 0
	case !c.pointer:
		return a.word(int(c.slot))
	}
	if at := a.word(int(c.slot)); at != 0 {
		return loadHandle(at) // of a file these are the lower bits
	}
	return 0
}

// missing are the functions whose absence the program has been told of.
var missing sync.Map

// unsupported answers the call of a function that is not there yet. It says so once.
func unsupported(op int) error {
	name := calls[op].name
	if _, told := missing.LoadOrStore(op, true); !told {
		fmt.Fprintf(os.Stderr, "capi: call %s: this function is not there yet; docs/c-conformance.md lists what is\n",
			name)
	}
	return fail(ERR_UNSUPPORTED_OPERATION, "%s is not there yet", name)
}
