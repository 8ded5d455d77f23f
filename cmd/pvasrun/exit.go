package main

import (
	"fmt"
	"os"
)

// codeUsage is the exit code for a mistake on the command line, as shells and
// getopt programs have it.
const codeUsage = 2

// A usageError is a mistake on the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// An exitStatus ends the command with a code when everything has been said.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit code %d", int(s)) }

// inputMistake says what is wrong with an input, and ends the command as a mistake on the command line does, but for
// the advice to read the help.
func inputMistake(err error) error {
	fmt.Fprintln(os.Stderr, "pvasrun:", err)
	return exitStatus(codeUsage)
}
