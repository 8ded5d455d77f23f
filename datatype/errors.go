package datatype

import (
	"errors"
	"fmt"
)

// Causes of the errors of the constructors. A face maps them to its error classes.
var (
	ErrCount    = errors.New("a count is negative")
	ErrType     = errors.New("a type is missing (nil or zero)")
	ErrArgument = errors.New("an argument is out of range")
	ErrOverflow = errors.New("a size or displacement does not fit into 64 bits; make several smaller types")
	ErrDepth    = errors.New("loops and lists are nested too deeply; make the type from fewer levels")
)

// failed is the error of a constructor.
func failed(c Combiner, cause error) error {
	return fmt.Errorf("datatype: make %s: %w", c, cause)
}

// wrong is the cause of an error about an argument.
func wrong(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrArgument, fmt.Sprintf(format, args...))
}
