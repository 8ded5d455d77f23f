package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/gopvas/gopvas/bench"
	"github.com/gopvas/gopvas/launcher"
)

// codeUsage is the exit code for a mistake on the command line, as shells and
// getopt programs have it.
const codeUsage = 2

// A usageError is a mistake on the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// mistake says that an error is one of the command line.
func mistake(err error) error { return usageError{err} }

// An exitStatus ends the command with a code when everything has been said.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit code %d", int(s)) }

// finish says what the error of a command says, and returns the exit code.
func finish(err error) int {
	if status, ok := errors.AsType[exitStatus](err); ok {
		return int(status)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pvasrun:", err)
	}
	if _, ok := errors.AsType[usageError](err); ok {
		fmt.Fprintln(os.Stderr, "pvasrun --help explains flags and commands")
		return codeUsage
	}
	if failed, ok := errors.AsType[*bench.JobError](err); ok {
		return failed.Code
	}
	return launcher.ExitCode(err)
}

// inputMistake says what is wrong with an input, and ends the command as a mistake on the command line does, but for
// the advice to read the help.
func inputMistake(err error) error {
	fmt.Fprintln(os.Stderr, "pvasrun:", err)
	return exitStatus(codeUsage)
}
