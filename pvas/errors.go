package pvas

import (
	"errors"
	"fmt"

	"github.com/gopvas/gopvas/internal/node/limits"
)

// Reasons why a file cannot be a task; an *ImageError wraps one of them.
var (
	ErrNotExecutable = errors.New("not an executable file")
	ErrNotELF        = errors.New("not an ELF program")
	ErrMachine       = errors.New("built for another machine")
	ErrNotPIE        = errors.New(
		"not position independent: build it with -buildmode=pie and without -race (gcc: -pie), or run it with --btl sm")
	ErrMalformed = errors.New("malformed ELF file")
	ErrSanitizer = errors.New(
		"built with a race detector or sanitizer, whose shadow memory has a fixed address: build it without, or " +
			"run it with --btl sm")
	ErrOrigin = errors.New("it looks for libraries in $ORIGIN, of which its dynamic linker cannot be told (glibc " +
		"2.33 or newer can): run it with --btl sm")
	ErrSetuid = errors.New(
		"set-uid or set-gid: privileges cannot be raised inside a shared address space: run it with --btl sm")
)

// Errors of a Space.
var (
	ErrUnsupported   = errors.New("one address space is not supported here")
	ErrPartitionSize = errors.New(
		"partition size must be a power of two of at least 64 MiB that lets all partitions fit into " +
			"a quarter of the address space")
	ErrPartition     = errors.New("no such partition")
	ErrPartitionBusy = errors.New("partition already holds a task")
	ErrTooSmall      = errors.New("partition too small")
	ErrArgsTooLong   = errors.New("arguments and environment too long for the stack")
	ErrTasksAlive    = errors.New("tasks are still running: end them first")
	ErrDestroyed     = errors.New("address space already destroyed")
	ErrNotOwnChild   = errors.New("the task is not a child of this process: its parent waits for it")
)

// An ImageError says why a file cannot be loaded as a task. It wraps one of the
// reasons above or the error of opening the file (fs.ErrNotExist,
// fs.ErrPermission).
type ImageError struct {
	Path string
	Err  error
}

func (e *ImageError) Error() string { return fmt.Sprintf("pvas: load %s: %v", e.Path, e.Err) }

// Unwrap returns the reason.
func (e *ImageError) Unwrap() error { return e.Err }

// A LimitError names a limit of the system that is too low for the job.
type LimitError = limits.Error

// A StartError says which system call of a task's preparation failed, after the
// task was cloned and before its program ran. Nothing of the task is left.
type StartError struct {
	Path string
	Call string // for example "chdir /nowhere"
	Err  error
}

func (e *StartError) Error() string {
	return fmt.Sprintf("pvas: start %s: %s: %v", e.Path, e.Call, e.Err)
}

// Unwrap returns the errno.
func (e *StartError) Unwrap() error { return e.Err }

// A KilledError says that a task was killed after it was cloned and before its
// program ran. How, its parent learns: for a task spawned with Sibling, that of the
// caller.
type KilledError struct {
	Path string
	Pid  int
}

func (e *KilledError) Error() string {
	return fmt.Sprintf("pvas: start %s: task %d was %v", e.Path, e.Pid, errKilledEarly)
}
