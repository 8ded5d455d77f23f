package window

import (
	"errors"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/window/check"
	"github.com/gopvas/gopvas/internal/msg/window/epoch"
	"github.com/gopvas/gopvas/internal/msg/window/regions"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Causes of errors.
var (
	ErrSync     = epoch.ErrSync
	ErrRange    = regions.ErrRange
	ErrLength   = errors.New("the two ends of the operation differ in length")
	ErrUnit     = errors.New("the displacement unit must be positive")
	ErrSize     = errors.New("the size of the memory must not be negative")
	ErrArgument = errors.New("wrong argument")
	ErrFlavor   = errors.New("the window is of another flavor")
	ErrAttach   = regions.ErrAttach
	ErrDetach   = regions.ErrDetach
	ErrConflict = check.ErrConflict
	ErrFreed    = comm.ErrWindowFreed
)

// CallError is a cause that names calls.
type CallError = epoch.CallError

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
