package launcher

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"

	"github.com/gopvas/gopvas/internal/limits"
	"github.com/gopvas/gopvas/pvas"
)

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

// coded is an error that knows the exit code: see cluster.NodeError.
type coded interface {
	error
	JobCode() int
}

// A LimitError names a limit of the system that is too low for the job.
type LimitError = limits.Error

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
	if with, ok := errors.AsType[coded](err); ok {
		return with.JobCode()
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
