package window

import (
	"errors"
	"fmt"
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
	ErrAttach   = errors.New("the memory can not be attached")
	ErrDetach   = errors.New("the memory is not attached: pass the address that was given to attach")
	ErrFreed    = comm.ErrWindowFreed
	ErrReach    = errors.New("ranks are processes that may not read one another's memory " +
		"(process_vm_readv, see pvasrun info): use memory that the window allocates, or --btl pvas")
)

// call is a call of a window, by its name in Go.
type call string

// inC is its name in C.
func (c call) inC() string {
	var b strings.Builder
	for _, r := range string(c) {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return "MPI_Win" + strings.ToLower(b.String())
}

// A SyncError is an ErrSync that says what is wrong and what to do.
type SyncError struct {
	format string
	calls  []call // that it names
}

func syncError(format string, calls ...call) error { return &SyncError{format, calls} }

// Unwrap returns ErrSync.
func (e *SyncError) Unwrap() error { return ErrSync }

func (e *SyncError) Error() string { return e.text(func(c call) string { return string(c) }) }

// InC is Error with the names that calls have in C.
func (e *SyncError) InC() string { return e.text(call.inC) }

func (e *SyncError) text(name func(call) string) string {
	names := make([]any, len(e.calls))
	for i, c := range e.calls {
		names[i] = name(c)
	}
	return fmt.Sprintf(ErrSync.Error()+": "+e.format, names...)
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
	return &fault.WindowError{Op: op, Name: w.Name(), Rank: rank, Err: err}
}
