package runner

import (
	"fmt"
	"regexp"
)

// A JobError is a benchmark job that ended with a failure of its own.
type JobError struct {
	Code   int // exit code
	Output string
}

// noMemory is what a rank writes whose Go runtime gets no memory, before a trace of all goroutines.
var noMemory = regexp.MustCompile(
	`(?m)^(?:fatal error: .*out of memory|fatal error: .*cannot allocate memory|` +
		`panic: runtime error: makeslice: len out of range|runtime: out of memory: .*)$`)

// Error is one line where the ranks had no memory: their traces say nothing else.
func (e *JobError) Error() string {
	if line := noMemory.FindString(e.Output); line != "" {
		return fmt.Sprintf("exit code %d: a rank got no memory for its buffers (%s): choose shorter "+
			"messages or fewer ranks", e.Code, line)
	}
	return fmt.Sprintf("exit code %d\n%s", e.Code, e.Output)
}
