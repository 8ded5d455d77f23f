package launcher

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"syscall"

	"github.com/gopvas/gopvas/internal/limits"
	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/pvas"
)

// Exit codes that are not a rank's.
const (
	codeError       = 1
	codeTimeout     = 124 // as timeout(1)
	codeDeadlock    = 125
	codeNotRunnable = 126 // as the shell
	codeNotFound    = 127 // as the shell
	codeSignal      = 128 // plus the number of the signal
)

// A ProgramError says why a program cannot be run or built. It wraps
// fs.ErrNotExist, fs.ErrPermission or the error of the go command.
type ProgramError struct {
	Program string
	Err     error
}

func (e *ProgramError) Error() string {
	return fmt.Sprintf("launcher: program %s: %v", e.Program, e.Err)
}

// Unwrap returns the cause.
func (e *ProgramError) Unwrap() error { return e.Err }

// A HostError names the request that the space host could not do.
type HostError struct {
	Op  string
	Err error
}

func (e *HostError) Error() string { return fmt.Sprintf("launcher: space host: %s: %v", e.Op, e.Err) }

// Unwrap returns the cause.
func (e *HostError) Unwrap() error { return e.Err }

// A StartError says which rank could not be started, and why.
type StartError struct {
	Rank    int
	Program string
	Err     error
}

func (e *StartError) Error() string {
	return fmt.Sprintf("launcher: start rank %d, %s: %v", e.Rank, e.Program, e.Err)
}

// Unwrap returns the cause.
func (e *StartError) Unwrap() error { return e.Err }

// A LimitError names a limit of the system that is too low for the job.
type LimitError = limits.Error

// Interrupted is the end of something by a signal that asked for it: of a job
// before it had a process, or of a context whose cause it is.
type Interrupted struct{ Signal syscall.Signal }

func (e Interrupted) Error() string { return "interrupted by " + sys.SignalName(e.Signal) }

// ExitCode returns the exit code a command should end with after Run has
// returned err: 127 for a program that is not there, 126 for one that cannot be
// executed, 128 + signal where a signal was the cause, and 1 otherwise.
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	if interrupted, ok := errors.AsType[Interrupted](err); ok {
		return codeSignal + int(interrupted.Signal)
	}
	if node, ok := errors.AsType[*NodeError](err); ok {
		return node.Code
	}
	var program *ProgramError
	var build *exec.ExitError
	var image *pvas.ImageError
	var start *StartError
	var output outputError
	switch {
	case errors.As(err, &output): // and no fault of the program
		return codeError
	case errors.As(err, &program) && errors.Is(err, fs.ErrNotExist):
		return codeNotFound
	case errors.As(err, &program) && errors.As(err, &build): // the go command has said why
		return codeError
	case errors.As(err, &program), errors.As(err, &image), errors.As(err, &start):
		return codeNotRunnable
	}
	return codeError
}
