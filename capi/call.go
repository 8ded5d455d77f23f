package capi

import (
	"fmt"
	"os"
	"sync"
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

func (p *Process) call(op int, a slots) (int64, Handler) {
	if p.state.Load() != running && !calls[op].anytime {
		return p.raise(op, a, p.notRunning())
	}
	tool := calls[op].tool
	if tool && p.tool.users.Load() <= 0 {
		return T_ERR_NOT_INITIALIZED, Handler{}
	}
	outer := p.inside.enter(op)
	result, err := p.try(op, a)
	p.inside.leave(op, outer)
	if err == nil {
		return result, Handler{}
	}
	if tool {
		return int64(classOf(err)), Handler{}
	}
	return p.raise(op, a, err)
}

// try is dispatch, in which a null pointer is an error. Only accesses to memory of the
// program find one, so that a pointer which is not used may be null.
func (p *Process) try(op int, a slots) (result int64, err error) {
	defer func() {
		switch v := recover(); v.(type) {
		case nil:
		case nullPointer:
			err = fail(ERR_ARG, "%s is a null pointer: pass memory that MPI can read or write", calls[op].null(a))
		default:
			panic(v)
		}
	}()
	return p.dispatch(op, a)
}

// nullPointer is what an access to a null pointer panics with.
type nullPointer struct{}

// null names the first argument that is a null pointer.
func (c *callInfo) null(a slots) string {
	for i := range 32 {
		if c.pointers>>i&1 != 0 && a.word(i) < firstPage {
			return fmt.Sprintf("argument %d", i+1)
		}
	}
	return "what an argument points to"
}

// callInfo describes a function.
type callInfo struct {
	name    string // in C
	object  objectKind
	slot    int8 // the argument that is the object
	pointer bool // the argument is a pointer to the object
	anytime bool // may be called before MPI_Init and after MPI_Finalize
	tool    bool // is between MPI_T_init_thread and MPI_T_finalize, and calls no error handler

	pointers uint32 // the arguments that are pointers to something else than a buffer: bit 0 is the first
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
		return loadWord(at)
	}
	return 0
}

// missing are the functions whose absence the program has been told of.
var missing sync.Map

// unsupported answers the call of a function that is not there yet. It says so once.
func unsupported(op int) error {
	name := calls[op].name
	if _, told := missing.LoadOrStore(op, true); !told {
		fmt.Fprintf(os.Stderr, "capi: call %s: this function is not there yet; docs/c-conformance.md lists what is\n", name)
	}
	return fail(ERR_UNSUPPORTED_OPERATION, "%s is not there yet", name)
}
