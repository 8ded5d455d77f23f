package file

import (
	"errors"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Causes of errors that do not come from the system.
var (
	ErrMode       = errors.New("the mode is wrong")
	ErrArgument   = errors.New("an argument is out of range")
	ErrNotSame    = errors.New("the ranks of a collective call do not do the same")
	ErrReadOnly   = errors.New("the file was opened to be read only: it cannot be written")
	ErrWriteOnly  = errors.New("the file was opened to be written only: it cannot be read")
	ErrSequential = errors.New("the file was opened as a sequential one: only the shared pointer can be used")
	ErrElement    = errors.New("a length or an offset is no multiple of the element type of the view")
	ErrType       = errors.New("the type cannot describe a file")
	ErrSplit      = errors.New("a split collective operation is under way on the file: end it before")
	ErrNoSplit    = errors.New("no split collective operation has begun on the file that this call ends")
	ErrClosed     = errors.New("the file is closed")
	ErrElsewhere  = errors.New("this is another file than that of rank 0: put it where all nodes share it")
	ErrRefused    = errors.New("the call was refused there, for another reason")
)

// causes are the errors that one rank can name to another, by their place here.
var causes = []error{ErrMode, ErrArgument, ErrNotSame, ErrReadOnly, ErrWriteOnly, ErrSequential, ErrElement,
	ErrSplit, ErrNoSplit, ErrClosed, ErrType, ErrElsewhere, ErrRefused}

// A RefusedError is ErrRefused, of an error that has a class in the interface of C: Class.
type RefusedError struct{ Class int }

func (e *RefusedError) Error() string { return ErrRefused.Error() }

// Unwrap returns ErrRefused.
func (e *RefusedError) Unwrap() error { return ErrRefused }

// The numbers, below 0, of the class 0 and of rank 0 that is lost: see codeOf.
const (
	firstClass = -1 << 20
	firstLost  = -1 << 40
)

// at says that a transfer failed at an offset, unless that is said already.
func at(offset int64, err error) error {
	if _, known := errors.AsType[*fault.FileError](err); known || err == nil {
		return err
	}
	return &fault.FileError{Rank: -1, Offset: offset, Err: err}
}

// wrap completes the error of a call.
func (f *File) wrap(op string, err error) error {
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*fault.FileError](err)
	if !ok {
		e = &fault.FileError{Rank: -1, Offset: -1, Err: err}
	}
	e.Op, e.Name = op, f.name
	return comm.Placed(e)
}
