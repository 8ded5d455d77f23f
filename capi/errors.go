package capi

import (
	"errors"
	"fmt"
)

// Error is an error of a function of the ABI.
type Error struct {
	Class int    // ERR_TYPE and the like, or an error code of the program
	Text  string // what is wrong, and what to do
}

func (e *Error) Error() string { return e.Text }

// fail makes an Error.
func fail(class int, format string, args ...any) error {
	return &Error{Class: class, Text: fmt.Sprintf(format, args...)}
}

// classOf is the MPI error class of an error.
func classOf(err error) int {
	var e *Error
	if errors.As(err, &e) {
		return e.Class
	}
	return ERR_OTHER
}
