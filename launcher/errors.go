package launcher

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"

	"github.com/gopvas/gopvas/internal/node/limits"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/hang"
	"github.com/gopvas/gopvas/launcher/internal/host"
	"github.com/gopvas/gopvas/launcher/internal/program"
	"github.com/gopvas/gopvas/launcher/internal/streams"
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

// A ProgramError says why a program cannot be run or built. It wraps fs.ErrNotExist, fs.ErrPermission or the error of
// the go command.
type ProgramError = program.Error

// A HostError names the request that the space host could not do.
type HostError = host.Error

// A Failure is the first rank that did not end with exit code 0, or that joined the job and ended without Finalize.
type Failure = fate.Failure

// Interrupted is the end of something by a signal that asked for it: of a job before it had a process, or of a context
// whose cause it is.
type Interrupted = fate.Interrupted

// HangReport is what the report of the ranks begins with, which QUIT asks for.
const HangReport = hang.Header

// A LimitError names a limit of the system that is too low for the job.
type LimitError = limits.Error

// mistake is an error of what the user has written, found before anything is started.
type mistake struct{ error }

func (m mistake) Unwrap() error { return m.error }

// JobCode implements coded.
func (mistake) JobCode() int { return fate.CodeMistake }

// ExitCode returns the exit code a command should end with after Run has
// returned err: 127 for a program that is not there, 126 for one that cannot be
// executed, 128 + signal where a signal was the cause, and 1 otherwise.
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	if interrupted, ok := errors.AsType[fate.Interrupted](err); ok {
		return fate.CodeSignal + int(interrupted.Signal)
	}
	if with, ok := errors.AsType[coded](err); ok {
		return with.JobCode()
	}
	var program *program.Error
	var build *exec.ExitError
	var image *pvas.ImageError
	var start *StartError
	var output streams.FileError
	switch {
	case errors.As(err, &output): // and no fault of the program
		return fate.CodeError
	case errors.As(err, &program) && errors.Is(err, fs.ErrNotExist):
		return fate.CodeNotFound
	case errors.As(err, &program) && errors.As(err, &build): // the go command has said why
		return fate.CodeError
	case errors.As(err, &program), errors.As(err, &image), errors.As(err, &start):
		return fate.CodeNotRunnable
	}
	return fate.CodeError
}
