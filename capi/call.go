package capi

import (
	"fmt"
	"math"
	"os"
	"sync"
)

// Call is a call of the C program: of the function with the number op, whose arguments are
// words of 64 bits at the address args. The result is an error code, or the bits of what the
// function returns in C.
func Call(op int, args uintptr) int64 {
	return process.call(op, slots(args))
}

func (p *Process) call(op int, a slots) int64 {
	if p.state.Load() != running && !calls[op].anytime {
		return p.raise(op, a, p.notRunning())
	}
	result, err := p.dispatch(op, a)
	if err == nil {
		return result
	}
	return p.raise(op, a, err)
}

// callInfo describes a function.
type callInfo struct {
	name    string // in C
	object  objectKind
	slot    int8 // the argument that is the object
	pointer bool // the argument is a pointer to the object
	anytime bool // may be called before MPI_Init and after MPI_Finalize
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

// bits are the bits of a C double.
func bits(v float64) int64 { return int64(math.Float64bits(v)) }
