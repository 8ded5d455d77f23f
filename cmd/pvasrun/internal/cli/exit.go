package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/launcher"
)

// CodeUsage is the exit code for a mistake on the command line, as shells and
// getopt programs have it.
const CodeUsage = 2

// A UsageError is a mistake on the command line.
type UsageError struct{ error }

func (e UsageError) Unwrap() error { return e.error }

// Mistake says that an error is one of the command line.
func Mistake(err error) error { return UsageError{err} }

// An ExitStatus ends the command with a code when everything has been said.
type ExitStatus int

func (s ExitStatus) Error() string { return fmt.Sprintf("exit code %d", int(s)) }

// Finish says what the error of a command says, and returns the exit code.
func Finish(err error) int {
	if status, ok := errors.AsType[ExitStatus](err); ok {
		return int(status)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pvasrun:", err)
	}
	if _, ok := errors.AsType[UsageError](err); ok {
		fmt.Fprintln(os.Stderr, "pvasrun --help explains flags and commands")
		return CodeUsage
	}
	if failed, ok := errors.AsType[*runner.JobError](err); ok {
		return failed.Code
	}
	return launcher.ExitCode(err)
}

// InputMistake says what is wrong with an input, and ends the command as a mistake on the command line does, but for
// the advice to read the help.
func InputMistake(err error) error {
	fmt.Fprintln(os.Stderr, "pvasrun:", err)
	return ExitStatus(CodeUsage)
}
