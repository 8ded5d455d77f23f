package capi

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/job"
)

// errhandler is what is done about errors of the calls on an object.
type errhandler struct {
	handle Errhandler // 0: the program has freed it
	refs   int        // how often the program was given the handle
	of     objectKind // for objects of which kind; noObject: of any
	f      Func       // of the program
}

// The predefined error handlers.
var (
	areFatal = &errhandler{handle: ERRORS_ARE_FATAL}
	abort    = &errhandler{handle: ERRORS_ABORT}
	returns  = &errhandler{handle: ERRORS_RETURN}
	throws   = &errhandler{handle: 0x3f4} // of MPICH's interface for C++, which throws what is returned

	predefinedHandlers = []*errhandler{areFatal, abort, returns, throws}
)

// predefinedHandler is the predefined error handler of a handle, nil if there is none.
func predefinedHandler(h Errhandler) *errhandler {
	for _, e := range predefinedHandlers {
		if e.handle == h {
			return e
		}
	}
	return nil
}

// initially is the name of the error handler that communicators begin with, as the user may set it, and the handler.
func initially() (name string, h *errhandler) {
	switch name = os.Getenv(job.EnvErrorHandler); name {
	case "mpi_errors_abort":
		return name, abort
	case "mpi_errors_return":
		return name, returns
	}
	return "mpi_errors_are_fatal", areFatal
}

// Upcall runs a function of the C program with up to 6 arguments, each an integer or a
// pointer, and returns its result. It runs on the stack of C, on the calling thread, and may
// call MPI. cmd/libmpi sets Upcall.
var Upcall = func(function uintptr, args []uintptr) uintptr {
	panic("capi: upcall: no C program is there; cmd/libmpi sets capi.Upcall")
}

// Share is called when a goroutine begins to serve other ranks, also while the program computes. The thread of the
// program calls by cgo from then on: so it has no slot of the scheduler while it does not call. cmd/libmpi sets Share.
var Share = func() {}

// OtherThreads tells whether the process may have threads beside the calling one and those of Go. cmd/libmpi counts
// them.
var OtherThreads = func() bool { return true }

// Flush is a function of C that writes what the program has buffered. cmd/libmpi sets Flush.
var Flush uintptr

// Alone is a function of C that ends the process if it has another MPI library. cmd/libmpi sets Alone.
var Alone uintptr

// alone is called before an error that a call for another library has here: its handles are none of this one, and it
// was that which has been initialised.
func alone() {
	if Alone != 0 {
		Upcall(Alone, nil)
	}
}

// end ends the job as comm.Comm.Abort does. What the program has printed comes before it: it is lost with the process
// otherwise, if a pipe takes it.
func (p *Process) end(of *communicator, call string, code int) {
	if Flush != 0 {
		Upcall(Flush, nil)
	}
	var c *comm.Comm // nil: MPI is not initialised
	if of != nil {
		c = of.c
	}
	c.Abort(call, code)
}

// raise answers a call that has failed with err: its error handler decides.
func (p *Process) raise(op int, a slots, err error) (int64, Handler) {
	if c, ok := err.(called); ok {
		return SUCCESS, Handler(c)
	}
	if by, _ := p.inside.current(); by != "" && errors.Is(err, comm.ErrOperator) {
		err = fmt.Errorf("%w (%s runs the operator)", err, by)
	}
	at := site{call: calls[op].name}
	if a != 0 {
		at.place = caller(a)
	}
	if h, null := p.handlerArgument(calls[op].name, a); h != nil {
		return int64(classOf(err)), p.handle(h, null, at, err)
	}
	var handler *errhandler
	var object uintptr
	if l, ok := err.(located); ok && l.on != nil {
		handler, object, at.on = l.on.handler, uintptr(l.on.handle), l.on
	} else {
		handler, object, at.on = p.handlerOf(&calls[op], a)
	}
	return int64(classOf(err)), p.handle(handler, object, at, err)
}

// handlerArgument returns the error handler that is an argument of a call, and a null handle: a
// call that makes an object with a handler has no object yet. It returns nil for other calls, and
// for an argument that is no error handler.
func (p *Process) handlerArgument(call string, a slots) (h *errhandler, null uintptr) {
	slot, kind, null := -1, onComm, uintptr(COMM_NULL)
	switch call {
	case "MPI_Session_init":
		slot, kind, null = 1, onSession, uintptr(SESSION_NULL)
	case "MPI_Comm_create_from_group":
		slot = 3
	case "MPI_Intercomm_create_from_groups":
		slot = 6
	default:
		return nil, 0
	}
	h, err := p.handler(Errhandler(a.word(slot)), kind)
	if err != nil {
		return nil, 0
	}
	return h, null
}

// handlerOf returns the error handler for a call, the handle of its object, and the object if it has a
// title. For a call without an object, or with a
// wrong one, the handler is that of MPI_COMM_SELF. If the program has set none there it is
// that of MPI_COMM_WORLD, as in MPI before 4.0.
func (p *Process) handlerOf(call *callInfo, a slots) (h *errhandler, object uintptr, on titled) {
	if p.state.Load() != running {
		return areFatal, 0, nil
	}
	object = call.handle(a)
	if strings.HasPrefix(call.name, "MPI_File_") {
		if o, err := p.opened(File(object)); err == nil && call.object == onFile {
			return o.handler, object, nil
		}
		return p.fileHandler, uintptr(FILE_NULL), nil
	}
	switch call.object {
	case onComm:
		if c, err := p.comm(Comm(object)); err == nil {
			return c.handler, object, c
		}
	case onWin:
		if o, err := p.window(Win(object)); err == nil {
			return o.handler, object, o
		}
	case onSession:
		if s, err := p.session(Session(object)); err == nil {
			return s.handler, object, s
		}
	}
	if _, first := initially(); p.self.handler == first {
		return p.world.handler, uintptr(COMM_WORLD), nil
	}
	return p.self.handler, uintptr(COMM_SELF), nil
}

// handle does what an error handler says, or returns the function of the program that does.
func (p *Process) handle(h *errhandler, object uintptr, at site, err error) Handler {
	code := classOf(err)
	p.codes.note(code, raised{at, err})
	switch {
	case h == returns || h == throws:
		return Handler{}
	case h == areFatal || h == abort:
		p.die(at, code, err)
	}
	if s, ok := errors.AsType[inStatuses](err); ok {
		code = s.first
	}
	return Handler{h.f.Entry, h.f.shown(object), code}
}

// called is the result of a function that has only to call an error handler yet. It is no
// failure.
type called Handler

func (called) Error() string { return "an error handler is to be called" }

// die ends the job because of an error.
func (p *Process) die(at site, code int, err error) {
	comm.AwaitCause(err)
	call, place := at.String(), nameOf(at.place)
	if place != "" {
		place = ", called by " + place
	}
	fmt.Fprintf(os.Stderr, "%s: %s: %s (%s)%s\n", comm.Who(), call, textOf(call, err),
		className(p.codes.classOf(code)), place)
	p.end(p.world, "", 1)
}

// handler returns the error handler of a handle, for objects of a kind.
func (p *Process) handler(h Errhandler, of objectKind) (*errhandler, error) {
	if e := predefinedHandler(h); e != nil {
		return e, nil
	}
	e := p.errhandlers.get(uintptr(h))
	if e == nil {
		return nil, wrongHandle(kindErrhandler, uintptr(h))
	}
	if e.of != of {
		return nil, fail(ERR_ARG, "the error handler %#x is for objects of another kind", uintptr(h))
	}
	return e, nil
}

// createHandler makes an error handler of a function of the program.
func (p *Process) createHandler(of objectKind, f Func, out Ptr[Errhandler]) error {
	if f.Entry == 0 {
		return fail(ERR_ARG, "the function of the error handler is a null pointer")
	}
	e := &errhandler{of: of, f: f}
	p.give(e, out)
	return nil
}

// give hands the program the handle of an error handler, once more.
func (p *Process) give(e *errhandler, out Ptr[Errhandler]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.handle == 0 {
		e.handle = Errhandler(p.errhandlers.add(e))
	}
	e.refs++
	out.Set(e.handle)
}

// Errhandler_free is MPI_Errhandler_free. Objects that have the error handler keep it.
func (p *Process) Errhandler_free(h Ptr[Errhandler]) error {
	if handle := h.Get(); predefinedHandler(handle) == nil {
		e := p.errhandlers.get(uintptr(handle))
		if e == nil {
			return wrongHandle(kindErrhandler, uintptr(handle))
		}
		p.mu.Lock()
		if e.refs--; e.refs == 0 {
			p.errhandlers.remove(uintptr(handle))
			e.handle = 0
		}
		p.mu.Unlock()
	}
	h.Set(ERRHANDLER_NULL)
	return nil
}

// callHandler calls an error handler for a code of the program.
func (p *Process) callHandler(handler *errhandler, object uintptr, call string, on titled, code int) error {
	h := p.handle(handler, object, site{call: call, on: on}, p.codes.asError(code))
	if h.Function == 0 {
		return nil
	}
	return called(h)
}
