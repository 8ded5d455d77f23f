package epoch

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrSync is the cause of a call that its epochs do not allow.
var ErrSync = errors.New("wrong synchronisation")

// Call is a call on a window, by its name in Go.
type Call string

// Operations are the calls that access a target.
var Operations = [...]Call{"Put", "Get", "Accumulate", "GetAccumulate", "FetchAndOp", "CompareAndSwap"}

// inC is its name in C.
func (c Call) inC() string {
	b := strings.Builder{}
	if !slices.Contains(Operations[:], c) {
		b.WriteString("_Win")
	}
	for _, r := range string(c) {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	name := strings.ToLower(b.String())
	return "MPI_" + strings.ToUpper(name[1:2]) + name[2:]
}

// A CallError is a cause that says what is wrong and what to do, in which calls have names.
type CallError struct {
	Is     error
	Format string
	Args   []any
}

// Error is an ErrSync about some calls.
func Error(format string, calls ...Call) error {
	args := make([]any, len(calls))
	for i, c := range calls {
		args[i] = c
	}
	return &CallError{ErrSync, format, args}
}

// Unwrap returns the cause.
func (e *CallError) Unwrap() error { return e.Is }

func (e *CallError) Error() string { return fmt.Sprintf(e.Is.Error()+": "+e.Format, e.Args...) }

// InC is Error with the names that calls have in C.
func (e *CallError) InC() string {
	args := slices.Clone(e.Args)
	for i, a := range args {
		if c, ok := a.(Call); ok {
			args[i] = c.inC()
		}
	}
	return fmt.Sprintf(e.Is.Error()+": "+e.Format, args...)
}
