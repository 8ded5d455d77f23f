package program

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The kernel takes the carriage return of a line of another system for a part of the interpreter's name.
func TestInterpreterWithACarriageReturn(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\r\n"), 0o700))
	_, err := FindBinary(script)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.EqualError(t, err, "launcher: program "+script+": its interpreter /bin/sh: no such file or directory: "+
		"a carriage return is behind the name: end lines with a newline alone")
}
