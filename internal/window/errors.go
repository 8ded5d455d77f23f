package window

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/comm"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Causes of errors.
var (
	ErrSync     = errors.New("wrong synchronisation")
	ErrRange    = errors.New("outside of the memory of the target")
	ErrLength   = errors.New("the two ends of the operation differ in length")
	ErrUnit     = errors.New("the displacement unit must be positive")
	ErrSize     = errors.New("the size of the memory must not be negative")
	ErrArgument = errors.New("wrong argument")
	ErrFlavor   = errors.New("the window is of another flavor")
	ErrAttach   = errors.New("the memory cannot be attached")
	ErrDetach   = errors.New("the memory is not attached: pass the address that was given to attach")
	ErrConflict = errors.New("accesses conflict")
	ErrFreed    = comm.ErrWindowFreed
)

// call is a call of a window, by its name in Go.
type call string

// inC is its name in C.
func (c call) inC() string {
	b := strings.Builder{}
	if !slices.Contains(operations[:], c) {
		b.WriteString("_Win")
	}
	for _, r := range string(c) {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	name := strings.ToLower(b.String())
	return "MPI_" + strings.ToUpper(name[1:2]) + name[2:]
}

// A CallError is a cause that says what is wrong and what to do, in which calls have names.
type CallError struct {
	is     error
	format string
	args   []any
}

// syncError is an ErrSync about some calls.
func syncError(format string, calls ...call) error {
	args := make([]any, len(calls))
	for i, c := range calls {
		args[i] = c
	}
	return &CallError{ErrSync, format, args}
}

// Unwrap returns the cause.
func (e *CallError) Unwrap() error { return e.is }

func (e *CallError) Error() string { return fmt.Sprintf(e.is.Error()+": "+e.format, e.args...) }

// InC is Error with the names that calls have in C.
func (e *CallError) InC() string {
	args := slices.Clone(e.args)
	for i, a := range args {
		if c, ok := a.(call); ok {
			args[i] = c.inC()
		}
	}
	return fmt.Sprintf(e.is.Error()+": "+e.format, args...)
}

// wrap completes the error of a call about a rank; -1: about none. It is inlined: most calls have none.
func (w *Window) wrap(op string, rank int, err error) error {
	if err == nil {
		return nil
	}
	return w.named(op, rank, err)
}

func (w *Window) named(op string, rank int, err error) error {
	if _, known := errors.AsType[*fault.WindowError](err); known {
		return err
	}
	return comm.Placed(&fault.WindowError{Op: op, Name: w.Name(), Rank: rank, Err: err})
}
