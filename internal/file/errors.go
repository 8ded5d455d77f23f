package file

import (
	"errors"
	"fmt"
	"syscall"
)

// Causes of errors that do not come from the system.
var (
	ErrMode        = errors.New("the mode is wrong")
	ErrArgument    = errors.New("an argument is out of range")
	ErrNotSame     = errors.New("an argument differs from rank to rank")
	ErrReadOnly    = errors.New("the file was opened with RDONLY: it can not be written")
	ErrWriteOnly   = errors.New("the file was opened with WRONLY: it can not be read")
	ErrSequential  = errors.New("the file was opened with SEQUENTIAL: only the shared pointer can be used")
	ErrElement     = errors.New("the length is no multiple of the element type of the view")
	ErrDataRep     = errors.New("the data representation is not known: pass native, internal or external32")
	ErrType        = errors.New("the type can not describe a file")
	ErrSplit       = errors.New("a split collective operation is under way on the file, or none that this call ends")
	ErrClosed      = errors.New("the file is closed")
	ErrSharedNodes = errors.New("the ranks of the file are on several nodes, which share no pointer: name the positions")
	ErrFile        = errors.New("an internal communication of the file failed")
)

// causes are the errors that one rank can name to another, by their place here.
var causes = []error{ErrMode, ErrArgument, ErrNotSame, ErrReadOnly, ErrWriteOnly, ErrSequential, ErrElement, ErrDataRep,
	ErrSplit, ErrClosed, ErrSharedNodes, ErrType, ErrFile}

// Error is an error of a call on a file. It wraps an errno, or one of the causes above.
type Error struct {
	Op     string // the call
	Name   string // of the file
	Rank   int    // of the file's ranks, to which it happened first; -1: the calling one
	Offset int64  // in the file, about which; -1: none
	Err    error
}

func (e *Error) Unwrap() error { return e.Err }

func (e *Error) Error() string {
	where := ""
	if e.Offset >= 0 {
		where = fmt.Sprintf(" at offset %d", e.Offset)
	}
	if e.Rank >= 0 {
		where += fmt.Sprintf(" on rank %d", e.Rank)
	}
	return fmt.Sprintf("file: %s %q%s: %v%s", e.Op, e.Name, where, e.Err, advice(e.Err))
}

// advice says what to do about an errno.
func advice(err error) string {
	errno, ok := errors.AsType[syscall.Errno](err)
	if !ok {
		return ""
	}
	switch errno {
	case syscall.ENOENT:
		return ": create it with CREATE, or mend the path"
	case syscall.EEXIST:
		return ": leave out EXCL, or delete it before"
	case syscall.EACCES, syscall.EPERM:
		return ": look at the permissions of the file and its folder"
	case syscall.EROFS:
		return ": the file system is mounted read-only"
	case syscall.ENOSPC:
		return ": free some space, or write elsewhere"
	case syscall.EDQUOT:
		return ": free some of your quota, or write elsewhere"
	case syscall.EFBIG:
		return ": ulimit -f, or the file system, allows no file of that size"
	case syscall.EFAULT:
		return ": the buffer, its count or its datatype is wrong"
	}
	return ""
}

// at says that a transfer failed at an offset.
func at(offset int64, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Rank: -1, Offset: offset, Err: err}
}

// wrap completes the error of a call.
func (f *File) wrap(op string, err error) error {
	if err == nil {
		return nil
	}
	e, ok := err.(*Error)
	if !ok {
		e = &Error{Rank: -1, Offset: -1, Err: err}
	}
	e.Op, e.Name = op, f.name
	return e
}
