package fault

import (
	"errors"
	"fmt"
	"syscall"
)

// FileError is an error of a call on a file. It wraps an errno, or a cause of package mpi.
type FileError struct {
	Op     string // the call
	Name   string // of the file
	Rank   int    // of those of the file, to which it happened first; -1: the calling one
	Offset int64  // in the file, about which; -1: none
	Err    error
}

// Unwrap returns the errno, or the cause.
func (e *FileError) Unwrap() error { return e.Err }

// Error names the call, the file, the place and the cause, and says what to do.
func (e *FileError) Error() string {
	where := ""
	if e.Offset >= 0 {
		where = fmt.Sprintf(" at offset %d", e.Offset)
	}
	if e.Rank >= 0 {
		where += fmt.Sprintf(" on rank %d", e.Rank)
	}
	name := e.Name
	if more := len(name) - 300; more > 0 { // so that the cause is not cut off
		name = "..." + name[more:]
	}
	return fmt.Sprintf("file: %s %q%s: %v%s", e.Op, name, where, e.Err, e.advice())
}

// advice says what to do about an errno.
func (e *FileError) advice() string {
	errno, ok := errors.AsType[syscall.Errno](e.Err)
	if !ok {
		return ""
	}
	switch errno {
	case syscall.ENOENT:
		if e.Op == "open" {
			return ": mend the path, or open it with MPI_MODE_CREATE (FileCreate)"
		}
	case syscall.ESPIPE:
		return ": a pipe has no offsets: pass a file"
	case syscall.EEXIST:
		return ": leave out MPI_MODE_EXCL (FileExclusive), or delete it before"
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
