package runner

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A rank that gets no memory is told in one line, other failures with all that was written.
func TestNoMemoryIsOneLine(t *testing.T) {
	for _, output := range []string{
		"fatal error: runtime: out of memory\n\nruntime stack:\nruntime.throw",
		"runtime: out of memory: cannot allocate 72000001277952-byte block (3932160 in use)\nfatal error: out of " +
			"memory\n\ngoroutine 1",
		"panic: runtime error: makeslice: len out of range\n\ngoroutine 1 [running]:",
	} {
		err := &JobError{Code: 2, Output: output}
		require.Regexp(t,
			`^exit code 2: a rank got no memory for its buffers \(.*\): choose shorter messages or fewer ranks$`,
			err.Error())
	}
	require.Equal(t, "exit code 3\nrank 0: lost\nline", (&JobError{3, "rank 0: lost\nline"}).Error())
}
